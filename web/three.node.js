// three.js and Cairn in Node: see three.js.

import { load } from './index.node.js';
import { startCairnPhysics } from './three/cairn_physics.js';

export * from './three/exports.js';

/**
 * Physics with the interface of three's RapierPhysics and JoltPhysics.
 * @param {import('./three/cairn_physics.js').CairnPhysicsOptions} [options]
 * @returns {Promise<import('./three/cairn_physics.js').AddOn>}
 */
export const CairnPhysics = (options = {}) => startCairnPhysics(load, options);
