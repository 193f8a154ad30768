// The surfaces that shapes are drawn with.

import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  OctahedronGeometry,
  PlaneGeometry,
  Quaternion,
  Vector3,
} from 'three';

/** The mesh that a shape was given. @param {import('../index.js').RenderData} data */
export function makeOwnMesh({ positions, normals, indices, colour }) {
  const surface = new BufferGeometry();
  surface.setAttribute('position', new BufferAttribute(positions, 3));
  surface.setIndex(new BufferAttribute(indices, 1));
  if (normals) surface.setAttribute('normal', new BufferAttribute(normals, 3));
  else surface.computeVertexNormals();
  if (colour) {
    const colours = new Float32Array(positions.length);
    for (let i = 0; i < colours.length; ++i) colours[i] = colour[i % 3];
    surface.setAttribute('color', new BufferAttribute(colours, 3));
  }
  return surface;
}

/** @param {BufferGeometry} surface */
export function whiten(surface) {
  const { count } = surface.getAttribute('position');
  surface.setAttribute('color', new BufferAttribute(new Uint8Array(3 * count).fill(255), 3, true));
}

/**
 * Unit sphere whose octants are light and dark in turn, so that one sees it roll.
 *
 * @returns {BufferGeometry}
 */
export function makeSphere() {
  const surface = new OctahedronGeometry(1, 13);
  const position = surface.getAttribute('position');
  const colours = new Uint8Array(3 * position.count);
  for (let first = 0; first < position.count; first += 3) {
    let x = 0;
    let y = 0;
    let z = 0;
    for (let i = first; i < first + 3; ++i) {
      x += position.getX(i);
      y += position.getY(i);
      z += position.getZ(i);
    }
    colours.fill(x * y * z > 0 ? 255 : 205, 3 * first, 3 * first + 9);
  }
  surface.setAttribute('color', new BufferAttribute(colours, 3, true));
  return surface;
}

/**
 * @param {ArrayLike<number>} normal unit
 * @param {number} offset
 * @param {number} size
 * @returns {BufferGeometry}
 */
export function makePlane(normal, offset, size) {
  const surface = new PlaneGeometry(size, size);
  const direction = new Vector3(normal[0], normal[1], normal[2]);
  const rotation = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), direction);
  surface.applyQuaternion(rotation);
  surface.translate(offset * direction.x, offset * direction.y, offset * direction.z);
  return surface;
}

/**
 * @param {{ vertices: Float64Array, triangles: Uint32Array }} hull
 * @returns {BufferGeometry} with a normal a face
 */
export function makeHull({ vertices, triangles }) {
  const positions = new Float32Array(3 * triangles.length);
  for (let corner = 0; corner < triangles.length; ++corner) {
    const vertex = 3 * triangles[corner];
    positions[3 * corner] = vertices[vertex];
    positions[3 * corner + 1] = vertices[vertex + 1];
    positions[3 * corner + 2] = vertices[vertex + 2];
  }
  const surface = new BufferGeometry();
  surface.setAttribute('position', new BufferAttribute(positions, 3));
  surface.computeVertexNormals();
  return surface;
}

/**
 * @param {{ vertices: Float64Array, triangles: Uint32Array }} surface
 * @returns {BufferGeometry} smooth, with shared vertices
 */
export function makeField({ vertices, triangles }) {
  const surface = new BufferGeometry();
  const positions = new BufferAttribute(new Float32Array(vertices), 3);
  positions.setUsage(DynamicDrawUsage);
  surface.setAttribute('position', positions);
  surface.setIndex(new BufferAttribute(triangles, 1));
  surface.computeVertexNormals();
  return surface;
}

/**
 * A section revolved about y, whose sides meet at sharp rims. Alternate wedges are light and dark, so that
 * one sees it rotate.
 *
 * @param {Float64Array} profile lower, upper height; outer radii at them, inner radii
 * @returns {BufferGeometry}
 */
export function makeRevolved([lower, upper, outerLower, outerUpper, innerLower, innerUpper]) {
  const corners = [
    [outerLower, lower],
    [outerUpper, upper],
    [innerUpper, upper],
    [innerLower, lower],
  ];
  const segments = 48;
  /** @type {number[]} */
  const positions = [];
  /** @type {number[]} */
  const normals = [];
  /** @type {number[]} */
  const colours = [];
  /**
   * @param {number} r @param {number} y @param {number} angle @param {number} nr @param {number} ny
   * @param {number} shade
   */
  const add = (r, y, angle, nr, ny, shade) => {
    const c = Math.cos(angle);
    const s = Math.sin(angle);
    positions.push(r * c, y, r * s);
    normals.push(nr * c, ny, nr * s);
    colours.push(shade, shade, shade);
  };
  for (let side = 0; side < 4; ++side) {
    const [r0, y0] = corners[side];
    const [r1, y1] = corners[(side + 1) % 4];
    const length = Math.hypot(r1 - r0, y1 - y0);
    if (length === 0 || (r0 === 0 && r1 === 0)) continue; // on the axis
    const nr = (y1 - y0) / length;
    const ny = (r0 - r1) / length;
    for (let segment = 0; segment < segments; ++segment) {
      const from = (2 * Math.PI * segment) / segments;
      const to = (2 * Math.PI * (segment + 1)) / segments;
      const shade = Math.floor((8 * segment) / segments) % 2 === 0 ? 255 : 225;
      add(r0, y0, from, nr, ny, shade);
      add(r1, y1, from, nr, ny, shade);
      add(r1, y1, to, nr, ny, shade);
      add(r0, y0, from, nr, ny, shade);
      add(r1, y1, to, nr, ny, shade);
      add(r0, y0, to, nr, ny, shade);
    }
  }
  const surface = new BufferGeometry();
  surface.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  surface.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
  surface.setAttribute('color', new BufferAttribute(new Uint8Array(colours), 3, true));
  return surface;
}
