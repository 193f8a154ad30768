// Shapes, constraints and contacts of a world as lines: what the engine sees.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial, LineSegments } from 'three';
import { debugRender } from '../drawing/debug_render.js';
import { replaceGeometry } from './marks.js';

/** @typedef {import('../index.js').World} World */
/** @typedef {import('../drawing/debug_render.js').DebugOptions} DebugOptions */

/** Add it to the scene, and call `update` once a frame. */
export class DebugOverlay extends LineSegments {
  /** @type {World} */
  world;
  /** @type {DebugOptions} */
  options;
  /** @type {ArrayBufferLike | null} that the attributes look at */
  #buffer = null;

  /** @param {World} world @param {DebugOptions} [options] */
  constructor(world, options = {}) {
    const material = new LineBasicMaterial({ vertexColors: true, depthTest: false, toneMapped: false });
    super(new BufferGeometry(), material);
    this.name = 'cairn debug';
    this.renderOrder = 1;
    this.frustumCulled = false;
    this.material = material;
    this.world = world;
    this.options = options;
  }

  /** Takes over what is there now. */
  update() {
    if (!this.visible) return;
    const { vertices, colors } = debugRender(this.world, this.options);
    if (vertices.buffer !== this.#buffer) {
      // three.js sends the whole buffers, which are larger than what is drawn of them
      this.#buffer = vertices.buffer;
      replaceGeometry(this, makeLines(vertices.buffer, colors.buffer));
    }
    this.geometry.setDrawRange(0, vertices.length / 3);
    this.geometry.attributes.position.needsUpdate = true;
    this.geometry.attributes.color.needsUpdate = true;
  }

  /** Frees what it holds on the graphics card. */
  dispose() {
    this.geometry.dispose();
    this.material.dispose();
  }
}

/** @param {ArrayBufferLike} vertices @param {ArrayBufferLike} colours */
function makeLines(vertices, colours) {
  const lines = new BufferGeometry();
  lines.setAttribute(
    'position',
    new BufferAttribute(new Float32Array(vertices), 3).setUsage(DynamicDrawUsage),
  );
  lines.setAttribute('color', new BufferAttribute(new Float32Array(colours), 4).setUsage(DynamicDrawUsage));
  return lines;
}
