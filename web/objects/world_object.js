// What Body, Geometry, Shape, Material, ContactMaterial and Constraint have in common.

import { wrongType } from '../core/errors.js';
import { Handle } from '../core/handle.js';
import { rowOf } from '../core/handle_rows.js';

/** An object that lives in a world. */
export class WorldObject extends Handle {
  /** The world it belongs to. @returns {import('./world.js').World} */
  get world() {
    const world = Handle.ownerOf(this);
    if (world === null) throw wrongType('world', 'this', this, 'are objects of a world');
    return /** @type {import('./world.js').World} */ (world);
  }

  /** Its row in the table of its kind, `world.columns`. @returns {number} */
  get index() {
    return rowOf(this.handle);
  }
}
