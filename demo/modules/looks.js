// Colours and materials of the demo: what a body is painted with, and the ground's grid.

import { Color, DoubleSide, MeshLambertMaterial, MeshStandardMaterial, Vector3 } from 'three';
import { BodyFlags } from 'cairn-physics';
import { PALETTE } from 'cairn-physics/three';

/** @typedef {import('cairn-physics/three').Item} Item */
/** @typedef {import('cairn-physics/three').Appearance} Appearance */
/** @typedef {import('three').WebGLProgramParametersWithUniforms} Shader */

/**
 * @typedef {object} Surroundings colours and intensities of what is about the bodies
 * @property {string} top of the background
 * @property {string} bottom
 * @property {string} floor
 * @property {number} lines of the floor's grid: how much darker; negative: lighter
 * @property {string} sky light from above
 * @property {string} ground light from below
 * @property {number} skyLight
 * @property {number} sunLight
 */

/** @type {Record<'light' | 'dark', Surroundings>} */
export const SURROUNDINGS = {
  light: {
    top: '#f7f8f9',
    bottom: '#dde2e7',
    floor: '#dde3e8',
    lines: 1,
    sky: '#ffffff',
    ground: '#c9c3ba',
    skyLight: 2.2,
    sunLight: 2.9,
  },
  dark: {
    top: '#15191e',
    bottom: '#20262d',
    floor: '#3a424b',
    lines: -1.5,
    sky: '#dfe8f2',
    ground: '#4a4f57',
    skyLight: 1.5,
    sunLight: 2.7,
  },
};

const GLASS = 0x8fa3b5;
const LARGE = 20; // m, half size from which a box of static geometry is treated as ground

const CARRIED = BodyFlags.carried;
const ASLEEP = BodyFlags.asleep;
const SLEEPING = 0xb4bac0;
const MERGED = [0xb7c9d6, 0xc3d1b8, 0xd9c9ae, 0xcbbcd1, 0xaed0cb];

const MATERIAL_COLOURS = {
  none: 0xa9b1b9,
  wood: 0xc99b63,
  rubber: 0x4b5057,
  stone: 0xb0aa9c,
  aluminium: 0xc4ccd4,
  steel: 0x71808f,
};

/** Picks what each item looks like. One for all scenes; the shaders are compiled once. */
export class Looks {
  /** By material instead of by body. */
  byMaterial = false;
  /** What is merged or asleep is tinted. */
  showStates = true;
  /** What does not move by forces, the ground excepted, is drawn as glass. */
  glass = false;

  /** Boxes are light and dark by quarters, to see them turn. */
  set marks(/** @type {boolean} */ on) {
    this.#marks.value = on ? 1 : 0;
  }

  /** Where the ground fades out. */
  focus = new Vector3();
  #fade = { value: 60 };
  #lines = { value: 1 };
  #floor = SURROUNDINGS.light.floor;
  #marks = { value: 0 };

  #plain = new MeshStandardMaterial({ roughness: 0.62, vertexColors: true });
  #box = bevelled(new MeshStandardMaterial({ roughness: 0.62 }), this.#marks);
  #static = bevelled(new MeshStandardMaterial({ roughness: 0.85 }), { value: 0 });
  #ground = gridded(
    new MeshLambertMaterial({ transparent: true }),
    { value: this.focus },
    this.#fade,
    this.#lines,
  );
  #glass = glassy(
    new MeshLambertMaterial({ color: GLASS, transparent: true, depthWrite: false, side: DoubleSide }),
  );
  #pane = new MeshLambertMaterial({
    color: GLASS,
    transparent: true,
    opacity: 0.07,
    depthWrite: false,
    side: DoubleSide,
  });

  /** m, distance from the focus at which the ground is gone */
  set fadeDistance(/** @type {number} */ distance) {
    this.#fade.value = distance;
  }

  /** What is drawn already is to be painted again. @param {Surroundings} surroundings */
  surround({ floor, lines }) {
    this.#floor = floor;
    this.#lines.value = lines;
  }

  /**
   * What adaptive merging has merged is pale, each merged body in a shade of its own; what sleeps is grey.
   * @param {import('cairn-physics').World} world
   * @returns {(bodyRow: number) => number}
   */
  statePaint(world) {
    const { bodies } = world.columns;
    return (row) => {
      if (!this.showStates) return -1;
      const flags = bodies.flags[row];
      if ((flags & CARRIED) !== 0) return MERGED[bodies.mergedBody[row] % MERGED.length];
      return (flags & ASLEEP) === 0 ? -1 : SLEEPING;
    };
  }

  /** @param {Item} item @returns {Appearance} */
  appearance = (item) => {
    if (item.motion !== 'dynamic') return this.#staticAppearance(item);
    const material = item.kind === 'box' ? this.#box : this.#plain;
    return { material, color: this.byMaterial ? materialColour(item.material) : bodyColour(item) };
  };

  /** @param {Item} item @returns {Appearance} */
  #staticAppearance(item) {
    if (item.kind === 'plane' || isLarge(item)) {
      return { material: this.#ground, color: this.#floor, castShadow: false };
    }
    if (this.glass) {
      const material = item.kind === 'box' ? this.#glass : this.#pane;
      return { material, castShadow: false, receiveShadow: false };
    }
    return {
      material: item.kind === 'box' ? this.#static : this.#plain,
      color: this.byMaterial ? materialColour(item.material) : 0xbcc3c9,
    };
  }
}

/** @param {Item} item */
function isLarge({ kind, geometry, shapeIndex }) {
  if (kind !== 'box') return false;
  const { proxies, geometries, shapes } = geometry.world.columns;
  let proxy = geometries.firstProxy[geometry.index];
  while (proxy >= 0 && proxies.shapeIndex[proxy] !== shapeIndex) proxy = proxies.nextOfGeometry[proxy];
  if (proxy < 0) return false;
  const row = 3 * proxies.shape[proxy];
  const { halfExtents } = shapes;
  return Math.max(halfExtents[row], halfExtents[row + 1], halfExtents[row + 2]) > LARGE;
}

/** Neighbouring rows get colours that differ, and none of the repetition shows. @param {Item} item */
function bodyColour({ body }) {
  const row = body === null ? 0 : body.index;
  const shade = 0.94 + 0.12 * fraction(row * 0.754877666);
  return new Color(PALETTE[(row * 3 + Math.floor(row / PALETTE.length)) % PALETTE.length]).multiplyScalar(
    shade,
  );
}

/**
 * A guess from the numbers, as the engine keeps no names.
 * @param {import('cairn-physics').Material | null} material
 */
export function materialColour(material) {
  if (material === null) return MATERIAL_COLOURS.none;
  const { density = 1000, youngsModulus = 0 } = material.get();
  if (density < 1000) return MATERIAL_COLOURS.wood;
  if (youngsModulus < 1e9) return MATERIAL_COLOURS.rubber;
  if (density > 5000) return MATERIAL_COLOURS.steel;
  return youngsModulus > 6e10 && density > 2600 ? MATERIAL_COLOURS.aluminium : MATERIAL_COLOURS.stone;
}

/** @param {number} x */
function fraction(x) {
  return x - Math.floor(x);
}

// ---- shaders ----------------------------------------------------------------------------------------------

const BOX_VERTEX = `
  varying vec3 vUnit;
  varying vec3 vHalf;
  varying mat3 vToView;
`;

const BOX_VERTEX_MAIN = `
  vUnit = position;
  vec3 halfX = instanceMatrix[0].xyz, halfY = instanceMatrix[1].xyz, halfZ = instanceMatrix[2].xyz;
  vHalf = vec3(length(halfX), length(halfY), length(halfZ));
  vToView = normalMatrix * mat3(halfX / vHalf.x, halfY / vHalf.y, halfZ / vHalf.z);
`;

/**
 * Lets a unit box catch the light along its edges as if they were rounded, whatever its proportions.
 *
 * @param {MeshStandardMaterial} material
 * @param {{ value: number }} marks 1: quarters about z are light and dark in turn
 */
function bevelled(material, marks) {
  material.onBeforeCompile = (/** @type {Shader} */ shader) => {
    shader.uniforms.marks = marks;
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${BOX_VERTEX}`)
      .replace('#include <begin_vertex>', `#include <begin_vertex>\n${BOX_VERTEX_MAIN}`);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>\n${BOX_VERTEX}\nuniform float marks;`)
      .replace(
        '#include <color_fragment>',
        `#include <color_fragment>
        diffuseColor.rgb *= 1.0 - 0.3 * marks * step(0.0, vUnit.x * vUnit.y);`,
      )
      .replace(
        '#include <normal_fragment_begin>',
        `#include <normal_fragment_begin>
        vec3 inset = vHalf * (1.0 - abs(vUnit));
        float bevel = min(0.035, 0.22 * min(vHalf.x, min(vHalf.y, vHalf.z)));
        vec3 near = clamp(1.0 - inset / bevel, 0.0, 1.0);
        normal = normalize(vToView * normalize(sign(vUnit) * near * near));`,
      );
  };
  material.customProgramCacheKey = () => 'bevelled';
  return material;
}

/**
 * Panes that show little but their edges.
 *
 * @param {MeshLambertMaterial} material
 */
function glassy(material) {
  material.onBeforeCompile = (/** @type {Shader} */ shader) => {
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${BOX_VERTEX}`)
      .replace('#include <begin_vertex>', `#include <begin_vertex>\n${BOX_VERTEX_MAIN}`);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>\n${BOX_VERTEX}`)
      .replace(
        '#include <opaque_fragment>',
        `vec3 inset = vHalf * (1.0 - abs(vUnit));
        float smallest = min(inset.x, min(inset.y, inset.z));
        float middle = inset.x + inset.y + inset.z - smallest - max(inset.x, max(inset.y, inset.z));
        float edge = 1.0 - smoothstep(0.0, max(0.03, 1.6 * fwidth(middle)), middle);
        diffuseColor.a = mix(0.07, 0.42, edge);
        #include <opaque_fragment>`,
      );
  };
  material.customProgramCacheKey = () => 'glassy';
  return material;
}

/**
 * Lines every metre and, stronger, every ten, in the object's own axes; the surface fades out
 * around the focus.
 *
 * @param {MeshLambertMaterial} material
 * @param {{ value: Vector3 }} focus
 * @param {{ value: number }} fade
 * @param {{ value: number }} strength of the lines; negative: lighter than the surface
 */
function gridded(material, focus, fade, strength) {
  material.onBeforeCompile = (/** @type {Shader} */ shader) => {
    shader.uniforms.focus = focus;
    shader.uniforms.fade = fade;
    shader.uniforms.strength = strength;
    const varyings = 'varying vec3 vMetres;\nvarying vec3 vAxis;\nvarying vec3 vWorld;\n';
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${varyings}`)
      .replace(
        '#include <begin_vertex>',
        `#include <begin_vertex>
        vMetres = position *
          vec3(length(instanceMatrix[0].xyz), length(instanceMatrix[1].xyz), length(instanceMatrix[2].xyz));
        vAxis = normal;
        vWorld = (modelMatrix * instanceMatrix * vec4(position, 1.0)).xyz;`,
      );
    shader.fragmentShader = shader.fragmentShader
      .replace(
        '#include <common>',
        `#include <common>
        ${varyings}
        uniform vec3 focus;
        uniform float fade;
        uniform float strength;
        float lines(float cell, float width) {
          vec3 p = vMetres / cell;
          vec3 blur = max(fwidth(p), vec3(1e-6));
          vec3 away = abs(fract(p - 0.5) - 0.5);
          vec3 line = 1.0 - smoothstep(vec3(0.0), blur * width, away);
          line *= clamp(1.2 - 4.0 * blur, 0.0, 1.0) * step(abs(vAxis), vec3(0.8));
          return max(line.x, max(line.y, line.z));
        }`,
      )
      .replace(
        '#include <color_fragment>',
        `#include <color_fragment>
        diffuseColor.rgb *= 1.0 - strength * (0.13 * lines(1.0, 1.3) + 0.16 * lines(10.0, 1.6));
        diffuseColor.a = 1.0 - smoothstep(0.35, 1.0, distance(vWorld, focus) / fade);
        if (diffuseColor.a <= 0.004) discard;`,
      );
  };
  material.customProgramCacheKey = () => 'gridded';
  return material;
}
