// Many dots and many arrows, each kind in one draw call from one buffer.

import {
  BufferAttribute,
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  DynamicDrawUsage,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  Mesh,
  Points,
  ShaderMaterial,
} from 'three';

/** @typedef {import('three').Color} Color */

/** Round dots of a fixed size in pixels. */
export class Dots extends Points {
  #values = new Float32Array(0);
  #range = { start: 0, count: 0 };

  /** @param {number} size pixels @param {Color} colour */
  constructor(size, colour) {
    const material = new ShaderMaterial({
      uniforms: { size: { value: size }, colour: { value: colour } },
      transparent: true,
      vertexShader: `
        uniform float size;
        void main() {
          gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
          gl_PointSize = size;
        }`,
      fragmentShader: `
        uniform vec3 colour;
        void main() {
          float r = 2.0 * length(gl_PointCoord - 0.5);
          float rim = smoothstep(0.62, 0.78, r);
          float alpha = 1.0 - smoothstep(0.86, 1.0, r);
          if (alpha <= 0.0) discard;
          gl_FragColor = vec4(mix(colour, vec3(1.0), rim), alpha);
          #include <colorspace_fragment>
        }`,
    });
    super(new BufferGeometry(), material);
    this.frustumCulled = false;
    this.material = material;
    this.onBeforeRender = (/** @type {import('three').WebGLRenderer} */ renderer) => {
      material.uniforms.size.value = size * renderer.getPixelRatio();
    };
  }

  /** @param {number} count @returns {Float32Array} three numbers a dot */
  reserve(count) {
    if (3 * count > this.#values.length) {
      this.#values = new Float32Array(6 * count);
      const dots = new BufferGeometry();
      dots.setAttribute('position', new BufferAttribute(this.#values, 3).setUsage(DynamicDrawUsage));
      replaceGeometry(this, dots);
    }
    return this.#values;
  }

  /** @param {number} count */
  finish(count) {
    this.geometry.setDrawRange(0, count);
    const positions = /** @type {BufferAttribute | undefined} */ (this.geometry.attributes.position);
    if (positions) upload(positions, this.#range, 3 * count);
  }

  dispose() {
    this.geometry.dispose();
    this.material.dispose();
  }
}

/**
 * Arrows from a start along a vector, both in an instanced buffer; the shape is put together in
 * the vertex shader.
 */
export class Arrows extends Mesh {
  #values = new Float32Array(0);
  #buffer = new InstancedInterleavedBuffer(this.#values, 6);
  #range = { start: 0, count: 0 };

  /** @param {number} radius m @param {Color} colour */
  constructor(radius, colour) {
    const material = new ShaderMaterial({
      uniforms: { radius: { value: radius }, colour: { value: colour } },
      vertexShader: `
        // part: 0 on the shaft, whose y runs 0…1 over its length; 1 on the head, whose y is in head lengths
        // from its base
        attribute float part;
        attribute vec3 start;
        attribute vec3 vector;
        uniform float radius;
        varying float shade;
        void main() {
          float size = length(vector);
          vec3 along = size > 0.0 ? vector / size : vec3(0.0, 0.0, 1.0);
          vec3 side = normalize(cross(along, abs(along.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0)));
          vec3 other = cross(along, side);
          float head = min(7.0 * radius, 0.6 * size);
          float thin = min(1.0, head / (7.0 * radius));
          float y = part > 0.5 ? size - head + head * position.y : (size - head) * position.y;
          vec3 outward = side * position.x + other * position.z;
          vec3 world = start + along * y + outward * radius * thin;
          vec3 n = normalize(side * normal.x + other * normal.z + along * normal.y);
          shade = 0.72 + 0.28 * dot(n, normalize(vec3(0.4, -0.5, 0.8)));
          gl_Position = projectionMatrix * modelViewMatrix * vec4(world, 1.0);
        }`,
      fragmentShader: `
        uniform vec3 colour;
        varying float shade;
        void main() {
          gl_FragColor = vec4(colour * shade, 1.0);
          #include <colorspace_fragment>
        }`,
    });
    super(new InstancedBufferGeometry(), material);
    this.material = material;
    this.frustumCulled = false;
  }

  /** @param {number} count @returns {Float32Array} six numbers an arrow: start, vector */
  reserve(count) {
    if (6 * count > this.#values.length) {
      this.#values = new Float32Array(12 * count);
      this.#buffer = new InstancedInterleavedBuffer(this.#values, 6);
      this.#buffer.setUsage(DynamicDrawUsage);
      replaceGeometry(this, makeArrow(this.#buffer));
    }
    return this.#values;
  }

  /** @param {number} count */
  finish(count) {
    /** @type {InstancedBufferGeometry} */ (this.geometry).instanceCount = count;
    upload(this.#buffer, this.#range, 6 * count);
  }

  dispose() {
    this.geometry.dispose();
    this.material.dispose();
  }
}

/**
 * A shaft and a head, about y, with one instance per arrow of `buffer`.
 *
 * @param {InstancedInterleavedBuffer} buffer
 * @returns {InstancedBufferGeometry}
 */
function makeArrow(buffer) {
  const shaft = new CylinderGeometry(1, 1, 1, 10, 1, true).translate(0, 0.5, 0).toNonIndexed();
  const head = new ConeGeometry(2.6, 1, 14).translate(0, 0.5, 0).toNonIndexed();
  const shaftCount = shaft.getAttribute('position').count;
  const headCount = head.getAttribute('position').count;
  const arrow = new InstancedBufferGeometry();
  for (const name of ['position', 'normal']) {
    const values = new Float32Array(3 * (shaftCount + headCount));
    values.set(shaft.getAttribute(name).array, 0);
    values.set(head.getAttribute(name).array, 3 * shaftCount);
    arrow.setAttribute(name, new BufferAttribute(values, 3));
  }
  const part = new Float32Array(shaftCount + headCount).fill(1, shaftCount);
  arrow.setAttribute('part', new BufferAttribute(part, 1));
  arrow.setAttribute('start', new InterleavedBufferAttribute(buffer, 3, 0));
  arrow.setAttribute('vector', new InterleavedBufferAttribute(buffer, 3, 3));
  shaft.dispose();
  head.dispose();
  return arrow;
}

/** @param {{ geometry: BufferGeometry }} object @param {BufferGeometry} geometry */
export function replaceGeometry(object, geometry) {
  object.geometry.dispose();
  object.geometry = geometry;
}

/**
 * Marks the first `count` numbers of a buffer for upload. three.js empties its list of ranges after each
 * upload, so the same range object serves every frame.
 *
 * @param {BufferAttribute | InstancedInterleavedBuffer} buffer
 * @param {{ start: number, count: number }} range
 * @param {number} count
 */
function upload(buffer, range, count) {
  range.count = count;
  buffer.updateRanges.length = 0;
  buffer.updateRanges.push(range);
  buffer.needsUpdate = true;
}
