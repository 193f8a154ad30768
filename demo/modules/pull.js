// A soft pull at a body: a critically damped spring from the point that was grabbed to the pointer.
//
// At the grabbed point the body answers to a force f with the acceleration K f, where K = 1/m − [r]× J⁻¹ [r]×
// is a constant 3×3 matrix in the body's own axes (r from the centre of mass to the point, J the inertia).
// The spring is written for the point's acceleration, a = ω² (target − point) − 2 ω v, taken at the end of
// the step so that no step size makes it unstable, and the force is K⁻¹ a: bodies of any mass and shape
// follow the pointer alike.

import {
  CylinderGeometry,
  Group,
  Matrix3,
  Mesh,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';

/** @typedef {import('cairn-physics').Body} Body */

const FREQUENCY = 9; // ω, 1/s
const MAX_ACCELERATION = 220; // m/s²
const SPIN_DAMPING = 3; // 1/s
const LINE_RADIUS = 0.0011; // of the distance to the camera
const DOT_RADIUS = 0.006;

export class Pull extends Group {
  /** @type {Body | null} */
  body = null;
  /** Where the pointer pulls to, m, world. */
  target = new Vector3();

  #local = new Vector3(); // point in the model frame
  #arm = new Vector3(); // point from the centre of mass, model axes
  #effectiveMass = new Matrix3();
  #material = new MeshBasicMaterial({ color: 0x1d2329 });
  #ball = new SphereGeometry(1, 16, 12);
  #line = new Mesh(new CylinderGeometry(1, 1, 1, 8, 1, true), this.#material);
  #dot = new Mesh(this.#ball, this.#material);
  #end = new Mesh(this.#ball, this.#material);

  // of the present step or frame
  #point = new Vector3();
  #velocity = new Vector3();
  #acceleration = new Vector3();
  #turn = new Quaternion();
  #back = new Quaternion();
  #along = new Vector3();
  #three = new Float64Array(3);
  #force = new Float64Array(3);
  #localPoint = new Float64Array(3);
  #y = new Vector3(0, 1, 0);

  constructor() {
    super();
    this.add(this.#line, this.#dot, this.#end);
    this.visible = false;
  }

  /**
   * @param {Body} body dynamic
   * @param {Vector3} localPoint in its model frame
   * @param {Vector3} worldPoint the same point
   */
  grab(body, localPoint, worldPoint) {
    this.body = body;
    this.target.copy(worldPoint);
    this.#local.copy(localPoint);
    const { mass, inverseInertia, localCentreOfMass } = body.world.columns.bodies;
    const row = body.index;
    this.#arm.set(
      localPoint.x - localCentreOfMass[3 * row],
      localPoint.y - localCentreOfMass[3 * row + 1],
      localPoint.z - localCentreOfMass[3 * row + 2],
    );

    const { x, y, z } = this.#arm;
    const cross = new Matrix3().set(0, -z, y, z, 0, -x, -y, x, 0);
    const inverse = new Matrix3().fromArray(inverseInertia, 9 * row);
    const turning = cross.clone().multiply(inverse).multiply(cross);
    const effective = this.#effectiveMass.identity().multiplyScalar(1 / mass[row]);
    for (let i = 0; i < 9; ++i) effective.elements[i] -= turning.elements[i];
    effective.invert();
  }

  release() {
    this.body = null;
    this.visible = false;
  }

  /** To be called before each step. @param {number} timeStep s */
  apply(timeStep) {
    const { body } = this;
    if (body === null) return;
    if (!body.isValid || body.motion !== 'dynamic' || !body.enabled) {
      this.release();
      return;
    }
    this.#readPoint(body, 1);

    // the point's velocity
    const velocity = this.#velocity.fromArray(body.getVelocity(this.#three));
    const spin = this.#along.fromArray(body.getAngularVelocity(this.#three));
    const arm = this.#acceleration.copy(this.#arm).applyQuaternion(this.#turn);
    velocity.add(spin.cross(arm));

    // its acceleration under the spring, no more than is gentle
    const h = timeStep;
    const k = FREQUENCY * FREQUENCY;
    const c = 2 * FREQUENCY;
    const a = this.#acceleration
      .subVectors(this.target, this.#point)
      .multiplyScalar(k)
      .addScaledVector(velocity, -(c + h * k))
      .divideScalar(1 + c * h + k * h * h)
      .clampLength(0, MAX_ACCELERATION);

    // and the force that gives it
    a.applyQuaternion(this.#back).applyMatrix3(this.#effectiveMass).applyQuaternion(this.#turn);
    a.toArray(this.#force);
    this.#local.toArray(this.#localPoint);
    body.applyForceAtLocalPoint(this.#force, this.#localPoint);
    const momentum = this.#along.fromArray(body.getAngularMomentum(this.#three));
    momentum.multiplyScalar(-SPIN_DAMPING / (1 + SPIN_DAMPING * h));
    momentum.toArray(this.#force);
    body.applyTorque(this.#force);
  }

  /**
   * Draws the line.
   *
   * @param {import('three').Camera} camera
   * @param {number} alpha as the bodies are drawn
   */
  update(camera, alpha) {
    const { body } = this;
    this.visible = body !== null && body.isValid;
    if (body === null || !this.visible) return;
    this.#readPoint(body, alpha);
    const point = this.#point;
    const distance = camera.position.distanceTo(point);
    const along = this.#along.subVectors(this.target, point);
    const length = Math.max(along.length(), 1e-6);
    this.#line.position.copy(point).addScaledVector(along, 0.5);
    this.#line.quaternion.setFromUnitVectors(this.#y, along.divideScalar(length));
    this.#line.scale.set(LINE_RADIUS * distance, length, LINE_RADIUS * distance);
    this.#dot.position.copy(point);
    this.#dot.scale.setScalar(DOT_RADIUS * distance);
    this.#end.position.copy(this.target);
    this.#end.scale.setScalar(0.6 * DOT_RADIUS * distance);
  }

  dispose() {
    this.#line.geometry.dispose();
    this.#ball.dispose();
    this.#material.dispose();
  }

  /**
   * Where the grabbed point is, and how its body is turned.
   *
   * @param {Body} body
   * @param {number} alpha 0…1, between the last step's begin and end
   */
  #readPoint(body, alpha) {
    const { position, rotation, previousPosition, previousRotation } = body.world.columns.bodies;
    const row = body.index;
    this.#turn.fromArray(previousRotation, 4 * row).slerp(this.#back.fromArray(rotation, 4 * row), alpha);
    this.#back.copy(this.#turn).conjugate();
    this.#point.fromArray(previousPosition, 3 * row).lerp(this.#along.fromArray(position, 3 * row), alpha);
    this.#point.add(this.#acceleration.copy(this.#local).applyQuaternion(this.#turn));
  }
}
