// What the objects of this package are called by those who write with them: in errors, which come with the
// name of a C function, and where somebody sets or reads a property that is a pair of methods.

import { argumentCounts, ownMethods } from '../generated/parameters.js';
import { CairnError, nameCallsWith } from './errors.js';
import { makeStrict } from './strict.js';

/** @param {string} text */
const lowerFirst = (text) => text[0].toLowerCase() + text.slice(1);

/** @param {string} text */
const upperFirst = (text) => text[0].toUpperCase() + text.slice(1);

/** Prototypes of classes by what an object of them is called, 'body'. @type {Map<string, object>} */
const prototypes = new Map();

/** C functions whose JavaScript is called otherwise. @type {Readonly<Record<string, string>>} */
const others = {
  cnAddToLibrary: 'cairn.addToLibrary',
  cnBeginDecomposition: 'cairn.decomposeMesh',
  cnDecomposition_Advance: 'cairn.decomposeMesh',
  cnBeginReduction: 'cairn.reduceMesh',
  cnReduction_Advance: 'cairn.reduceMesh',
  cnListAvailable: 'cairn.list',
  cnPlayRecording: 'cairn.replay',
  cnRestoreWorld: 'cairn.restoreWorld',
  cnWorld_IsValid: 'world.isDisposed',
  cnWorld_HasEnergyBalance: 'world.energyBalance',
  cnWorld_WriteMatrices: 'matrices.write',
  cnWorld_GetGroup: 'world.setGroupPairEnabled',
  cnWorld_GetPairOrigins: 'world.getPairProperties',
  cnWorld_GetFrameMotion: 'observer.read',
  cnWorld_RemoveContact: 'contact.remove',
  cnWorld_SetContactFriction: 'contact.setFriction',
  cnWorld_StartRecording: 'world.record.start',
  cnWorld_StopRecording: 'world.record.stop',
  cnWorld_CopyRecording: 'world.record.stop',
  cnWorld_GetRecordingBytes: 'world.record.length',
  cnWorld_GetSnapshotBytes: 'world.save',
  cnHeightField_SetHeight: 'shape.setHeight',
  cnHeightField_GetHeight: 'shape.getHeight',
  cnHeightField_SetHeights: 'shape.setHeights',
  cnHeightField_GetHeights: 'shape.getHeights',
  cnConstraint_GetBody: 'constraint.body1',
  cnConstraint_GetPartner: 'constraint.constraint1',
  cnConstraint_GetMinForce: 'constraint.getForceRange',
  cnConstraint_GetMaxForce: 'constraint.getForceRange',
  cnConstraint_SetBreakLimits: 'constraint.breakForce',
  cnMergedBody_GetBodyCount: 'mergedBody.bodies',
  cnMergedBody_GetBody: 'mergedBody.bodies',
  cnMergedBody_GetEdgeCount: 'mergedBody.edges',
  cnMergedBody_GetEdge: 'mergedBody.edges',
  cnBody_GetContactForces: 'contactReader.read',
  cnGeometry_GetContactForces: 'contactReader.read',
  cnBody_GetContactForcesWithGeometry: 'contactReader.read',
  cnScene_Collide: 'scene.step',
  cnScene_Solve: 'scene.step',
  cnScene_ReadChannel: 'channel.read',
};

/** Functions that are in `cairn.math`. */
const ofMath = /^(Sin|Cos|Tan|Asin|Acos|Atan2|Exp|Log|Pow)$/;

/**
 * The method of a class, or the property that it sets or reads.
 * @param {string} kind 'body' @param {string} name 'SetMass'
 * @returns {string | null} 'body.mass'
 */
function memberOf(kind, name) {
  const prototype = prototypes.get(kind);
  if (prototype === undefined) return null;
  const names = [name, name.replace(/^(Set|Get|Is)(?=[A-Z])/, '')].map(lowerFirst);
  const found = names.find((item) => Object.hasOwn(prototype, item));
  return found === undefined ? null : `${kind}.${found}`;
}

/**
 * What JavaScript calls a function that the engine or this package names.
 * @param {string} call 'cnBody_SetVelocity', 'World.steps'
 * @returns {string} 'body.setVelocity', 'world.steps'
 */
function nameOfCall(call) {
  if (!/^cn[A-Z]/.test(call)) return call.includes('.') ? lowerFirst(call) : call;
  if (Object.hasOwn(others, call)) return others[call];
  const rest = call.slice(2);
  if (ofMath.test(rest)) return `cairn.math.${lowerFirst(rest)}`;
  const [, type, member] = /^([A-Za-z]+)_(\w+)$/.exec(rest) ?? [];
  if (type !== undefined) {
    const kind = lowerFirst(type);
    return memberOf(kind, member) ?? `${kind}.${lowerFirst(member)}`;
  }
  const [, verb, object] = /^(Destroy|Release)(\w+)$/.exec(rest) ?? [];
  if (verb !== undefined) {
    const kind = lowerFirst(object);
    return memberOf(kind, verb) ?? memberOf(kind, 'Dispose') ?? `${kind}.${lowerFirst(verb)}`;
  }
  return memberOf('cairn', rest) ?? memberOf('world', rest) ?? `cairn.${lowerFirst(rest)}`;
}

/**
 * Where a class has `setVelocity` or `getVelocity` and no `velocity`, using `velocity` says so, instead of
 * making a property that means nothing.
 * @param {string} kind @param {object} prototype
 */
function explainNearMisses(kind, prototype) {
  const methods = Object.getOwnPropertyNames(prototype).filter((name) => /^(set|get)[A-Z]/.test(name));
  for (const name of new Set(methods.map((method) => lowerFirst(method.slice(3))))) {
    if (name in prototype) continue;
    const [set, get] = ['set', 'get'].map((verb) => {
      const method = `${verb}${upperFirst(name)}`;
      return methods.includes(method) ? `${kind}.${method}()` : null;
    });
    /** @param {string} text @returns {never} */
    const explain = (text) => {
      throw new CairnError('UNKNOWN_NAME', `${kind}.${name}`, name, `${name} is no property: ${text}`);
    };
    Object.defineProperty(prototype, name, {
      configurable: true,
      enumerable: false,
      get: () => explain(get === null ? `it must be set, by ${set}` : `it must be read by ${get}`),
      set: function refuse() {
        explain(set === null ? `it cannot be set, but is read by ${get}` : `it must be set by ${set}`);
      },
    });
  }
}

/** What objects are called where their class is not. @type {Readonly<Record<string, string>>} */
const kindsOfClasses = {
  contactCursor: 'contact',
  table: 'columns',
  worldRecord: 'world.record',
};

/**
 * Makes the objects of classes known by what they are called, and strict (strict.js).
 * @param {Record<string, { prototype: object }>} classes by their names, which begin with a small letter here
 */
export function nameObjects(classes) {
  for (const [key, { prototype }] of Object.entries(classes)) {
    const kind = kindsOfClasses[key] ?? key;
    prototypes.set(kind, prototype);
    explainNearMisses(kind, prototype);
    makeStrict({ name: kind, prototype, counts: argumentCounts[key], own: ownMethods[key] });
  }
  nameCallsWith(nameOfCall);
}
