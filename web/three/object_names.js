// What objects of three.js are called in errors.

/** @param {import('three').Object3D} object */
export const nameOf = (object) => (object.name === '' ? object.type : `${object.type} "${object.name}"`);
