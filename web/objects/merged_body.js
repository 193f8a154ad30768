// Merged bodies: bodies that move as one, and the graph that holds them together.

import { checkFlag, checkNames, checkOptions } from '../core/checks.js';
import {
  bodyGetMergedBody,
  createMergedBody,
  destroyMergedBody,
  mergeEdgeGet,
  mergeEdgeIsValid,
  mergedBodyAddBody,
  mergedBodyAddEdge,
  mergedBodyGetBody,
  mergedBodyGetBodyCount,
  mergedBodyGetEdge,
  mergedBodyGetEdgeCount,
  mergedBodyGetProperties,
  mergedBodyIsActive,
  mergedBodyIsValid,
  mergedBodyMerge,
  mergedBodyRemoveBody,
  mergeEdgeRemove,
  mergedBodySetActive,
  mergedBodySplitIslands,
} from '../generated/calls.js';
import { renamed, within, wrongType } from '../core/errors.js';
import { Handle } from '../core/handle.js';
import { WorldObject } from './world_object.js';

/** @typedef {import('./body.js').Body} Body */
/** @typedef {import('./world.js').World} World */
/** @typedef {import('../generated/types.js').MergeEdgeDef} MergeEdgeOptions */
/** @typedef {import('../generated/types.js').MergedBodyProperties} MergedBodyProperties */
/**
 * @typedef {object} MergedBodyOptions
 * @property {boolean} [active] whether its bodies move as one; default true
 * @property {Body[]} [bodies] that stay until they are removed, with edges or without
 * @property {MergeEdgeOptions[]} [edges]
 */

/** Between two bodies of a merged body. A body without edges leaves, unless it was added by itself. */
export class MergeEdge extends WorldObject {
  /** @param {symbol} key @param {World} world @param {number} value */
  constructor(key, world, value) {
    super(key, 'mergeEdge', world, value);
  }

  /** Whether the handle still names an edge. Never throws while the world lives. @returns {boolean} */
  get isValid() {
    return !Handle.isGone(this) && !Handle.isGone(this.world) && mergeEdgeIsValid(this.world, this);
  }

  /** Its kind, its bodies, and what it stands for. @returns {Required<MergeEdgeOptions>} */
  get() {
    return /** @type {Required<MergeEdgeOptions>} */ (mergeEdgeGet(this.world, this));
  }

  /** Out of its merged body, with bodies whose last edge it is. @returns {void} */
  remove() {
    mergeEdgeRemove(this.world, this);
    Handle.retire(this);
  }
}

/** Bodies that move as one rigid body while it is active. */
export class MergedBody extends WorldObject {
  /** @param {symbol} key @param {World} world @param {number} value */
  constructor(key, world, value) {
    super(key, 'mergedBody', world, value);
  }

  /** Whether the handle still names one. Never throws while the world lives. @returns {boolean} */
  get isValid() {
    return !Handle.isGone(this) && !Handle.isGone(this.world) && mergedBodyIsValid(this.world, this);
  }

  /** While it is not, its bodies move on their own, and the graph stays. @returns {boolean} */
  get active() {
    return mergedBodyIsActive(this.world, this);
  }

  set active(active) {
    mergedBodySetActive(this.world, this, active);
  }

  /** @returns {boolean} */
  get isEmpty() {
    return mergedBodyGetBodyCount(this.world, this) === 0;
  }

  /** In the order in which they came. @returns {Body[]} */
  get bodies() {
    const { world } = this;
    return Array.from({ length: mergedBodyGetBodyCount(world, this) }, (_, index) => {
      const body = world.objectOf('body', mergedBodyGetBody(world, this, index));
      return /** @type {Body} */ (body);
    });
  }

  /** In the order in which they came. @returns {MergeEdge[]} */
  get edges() {
    const { world } = this;
    return Array.from({ length: mergedBodyGetEdgeCount(world, this) }, (_, index) => {
      const edge = world.objectOf('mergeEdge', mergedBodyGetEdge(world, this, index));
      return /** @type {MergeEdge} */ (edge);
    });
  }

  /** The edges of a body. @param {Body} body @returns {MergeEdge[]} */
  edgesOf(body) {
    return edgesOf('MergedBody.edgesOf', this, body);
  }

  /** Bodies that edges join to a body, each once. @param {Body} body @returns {Body[]} */
  neighbours(body) {
    const found = edgesOf('MergedBody.neighbours', this, body).map((edge) => {
      const { body1, body2 } = edge.get();
      return /** @type {Body} */ (body1 === body ? body2 : body1);
    });
    return [...new Set(found)];
  }

  /**
   * Mass, centre of mass, inertia, velocities and momenta of what moves as one; `joined` is false where
   * nothing does: it is not active, or has fewer than two enabled bodies.
   * @param {MergedBodyProperties} [out]
   * @returns {MergedBodyProperties}
   */
  getProperties(out) {
    return mergedBodyGetProperties(this.world, this, out);
  }

  // ---- the graph ------------------------------------------------------------------------------------------

  /** A body that stays until it is removed, with edges or without. @param {Body} body @returns {void} */
  addBody(body) {
    mergedBodyAddBody(this.world, this, body);
  }

  /**
   * Two bodies come with it, unless they are in already.
   * @param {MergeEdgeOptions} options
   * @returns {MergeEdge}
   */
  addEdge(options) {
    const { world } = this;
    return /** @type {MergeEdge} */ (world.objectOf('mergeEdge', mergedBodyAddEdge(world, this, options)));
  }

  /** With its edges, and with bodies that have none then. @param {Body} body @returns {void} */
  removeBody(body) {
    mergedBodyRemoveBody(this.world, this, body);
  }

  /**
   * Takes over all bodies and edges of another one, which is empty then.
   * @param {MergedBody} other
   * @param {MergeEdgeOptions} edge between a body of each
   * @returns {void}
   */
  merge(other, edge) {
    mergedBodyMerge(this.world, this, other, edge);
  }

  /**
   * Bodies that no edges connect become merged bodies of their own, single ones leave.
   * @returns {MergedBody[]} those that were made
   */
  splitIslands() {
    const { world, bodies } = this;
    mergedBodySplitIslands(world, this);
    const owners = new Set(bodies.map((body) => body.mergedBody));
    owners.delete(this);
    owners.delete(null);
    return /** @type {MergedBody[]} */ ([...owners]);
  }

  /** Its bodies go on, each as it moved with the others. @returns {void} */
  destroy() {
    destroyMergedBody(this.world, this);
    Handle.retire(this);
  }
}

/**
 * @param {string} call @param {MergedBody} merged @param {Body} body
 * @returns {MergeEdge[]}
 */
function edgesOf(call, merged, body) {
  return within(call, () => {
    bodyGetMergedBody(merged.world, body); // refuses what is no body
    return merged.edges.filter((edge) => {
      const { body1, body2 } = edge.get();
      return body1 === body || body2 === body;
    });
  });
}

/**
 * @param {World} world
 * @param {MergedBodyOptions} options
 * @returns {MergedBody}
 */
export function makeMergedBody(world, options) {
  const call = 'cnCreateMergedBody';
  checkOptions(call, 'options', options);
  checkNames(call, 'options', options, ['active', 'bodies', 'edges']);
  const { active = true, bodies = [], edges = [] } = options;
  for (const [name, list] of Object.entries({ bodies, edges }))
    if (!Array.isArray(list)) throw wrongType(call, `options.${name}`, list, 'is an array');
  checkFlag(call, 'options.active', active);
  const value = createMergedBody(world, { inactive: true });
  const merged = /** @type {MergedBody} */ (world.objectOf('mergedBody', value));
  try {
    for (const body of bodies) merged.addBody(body);
    for (const edge of edges) merged.addEdge(edge);
    merged.active = active;
  } catch (error) {
    merged.destroy();
    throw renamed(error, call);
  }
  return merged;
}
