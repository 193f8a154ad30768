// Random scenes with joints and contacts for the hunt: makeHuntScene(seed) gives the same scene for a
// seed everywhere.
//
// A family is a function that fills a Builder: what is built, of which sizes, masses and joints, is drawn
// from the seed. Lengths are m, masses kg, z is up. Joints are anchored where their bodies stand, so that
// every loop closes at the start.

// ---- numbers ----------------------------------------------------------------------------------------------

/** A generator of numbers in 0…1 (mulberry32). */
function makeRandom(seed) {
  let state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Dice {
  constructor(seed) {
    this.next = makeRandom(seed);
    for (let i = 0; i < 8; ++i) this.next();
  }

  range(low, high) {
    return low + (high - low) * this.next();
  }

  /** Evenly spread in its logarithm. */
  logRange(low, high) {
    return low * (high / low) ** this.next();
  }

  /** A whole number, both ends included. */
  whole(low, high) {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(list) {
    return list[Math.floor(this.next() * list.length)];
  }

  direction() {
    const z = this.range(-1, 1);
    const angle = this.range(0, 2 * Math.PI);
    const r = Math.sqrt(1 - z * z);
    return [r * Math.cos(angle), r * Math.sin(angle), z];
  }

  rotation() {
    return turnAbout(this.direction(), this.range(0, Math.PI));
  }
}

const add = (a, b) => a.map((x, i) => x + b[i]);
const sub = (a, b) => a.map((x, i) => x - b[i]);
const scale = (s, a) => a.map((x) => s * x);
const length = (a) => Math.hypot(...a);
const unit = (a) => scale(1 / length(a), a);
const mean = (a, b) => scale(0.5, add(a, b));
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

function turnAbout(axis, angle) {
  return [...scale(Math.sin(angle / 2), unit(axis)), Math.cos(angle / 2)];
}

function rotate([x, y, z, w], v) {
  const t = scale(2, cross([x, y, z], v));
  return add(add(v, scale(w, t)), cross([x, y, z], t));
}

function combine([ax, ay, az, aw], [bx, by, bz, bw]) {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

/** The rotation that takes y to a direction. */
function alongY(direction) {
  const d = unit(direction);
  const axis = cross([0, 1, 0], d);
  if (length(axis) < 1e-9) return d[1] > 0 ? [0, 0, 0, 1] : [1, 0, 0, 0];
  return turnAbout(axis, Math.atan2(length(axis), d[1]));
}

/** A unit vector across another. */
function across(axis) {
  const least = axis.map(Math.abs).indexOf(Math.min(...axis.map(Math.abs)));
  return unit(
    cross(
      axis,
      [0, 1, 2].map((i) => (i === least ? 1 : 0)),
    ),
  );
}

// ---- a scene in the making --------------------------------------------------------------------------------

class Builder {
  constructor(seed) {
    this.dice = new Dice(seed);
    this.bodies = [];
    this.constraints = [];
    this.geometries = [];
    this.meshes = [];
    this.actions = [];
    this.groundTop = 0;
    this.steps = 300;
    this.canRest = false;
    this.drawWorld();
  }

  drawWorld() {
    const { dice } = this;
    this.friction = dice.chance(0.15) ? 0 : dice.range(0, 1);
    this.restitution = dice.chance(0.6) ? 0 : dice.range(0, 0.9);
    this.massRatio = dice.pick([1, 1, 10, 100, 1000]);
    this.compliance = dice.chance(0.85) ? undefined : dice.logRange(1e-9, 1e-5);
    this.fast = dice.chance(0.15) ? dice.pick([0.5, 1]) : 0;
    this.breaks = dice.chance(0.1);
    this.hasGround = true;
    this.gravity = 9.80665;
  }

  // -- ground

  addPlane(height = 0) {
    this.geometries.push({
      name: `ground${this.geometries.length}`,
      shape: { type: 'plane', normal: [0, 0, 1], d: height },
      material: 'ground',
    });
  }

  /** Waves and bumps: a function of x and y with heights in 0…amplitude. */
  drawHills(amplitude, width) {
    const { dice } = this;
    const waves = Array.from({ length: 4 }, () => ({
      k: scale(dice.range(1, 4) / width, [Math.cos(dice.range(0, 7)), Math.sin(dice.range(0, 7))]),
      phase: dice.range(0, 7),
    }));
    return (x, y) => {
      const sum = waves.reduce(
        (s, { k, phase }) => s + Math.sin(2 * Math.PI * (k[0] * x + k[1] * y) + phase),
        0,
      );
      return (amplitude * (4 + sum)) / 8;
    };
  }

  /** A plane, a height field or hills of triangles, `size` being that of the bodies. */
  addGround(size, kind) {
    const { dice } = this;
    const type = kind ?? dice.pick(['plane', 'plane', 'plane', 'heightField', 'trimesh']);
    this.ground = type;
    if (type === 'plane') {
      this.addPlane();
      return;
    }
    const width = 24 * size;
    const count = dice.whole(13, 29);
    const hills = this.drawHills(dice.range(0.3, 2) * size, width);
    const step = width / (count - 1);
    const points = [];
    for (let j = 0; j < count; ++j)
      for (let i = 0; i < count; ++i) {
        const [x, y] = [i * step - width / 2, j * step - width / 2];
        points.push([x, y, hills(x, y)]);
      }
    this.groundTop = Math.max(...points.map(([, , z]) => z));
    const bottom = Math.min(...points.map(([, , z]) => z));
    this.addPlane(bottom);
    const name = `ground${this.geometries.length}`;
    if (type === 'heightField') {
      const shape = {
        type,
        resolution: [count, count],
        size: [width, width],
        heights: points.map(([, , z]) => z),
        bottomMargin: 1 + 2 * size,
      };
      this.geometries.push({ name, shape, material: 'ground' });
      return;
    }
    const triangles = [];
    for (let j = 0; j + 1 < count; ++j)
      for (let i = 0; i + 1 < count; ++i) {
        const a = j * count + i;
        triangles.push([a, a + 1, a + count + 1], [a, a + count + 1, a + count]);
      }
    this.meshes.push({ name: 'hills', vertices: points, triangles });
    const shape = { type, mesh: 'hills', terrain: true, bottomMargin: 1 + 2 * size };
    this.geometries.push({ name, shape, material: 'ground' });
  }

  /** Four walls that keep things within `half` of the middle. */
  addWalls(half, height) {
    const thick = 0.3 * half;
    for (const [x, y] of [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ]) {
      const halfExtents = x !== 0 ? [thick, half + 2 * thick, height] : [half + 2 * thick, thick, height];
      this.geometries.push({
        name: `wall${this.geometries.length}`,
        shape: { type: 'box', halfExtents },
        position: [x * (half + thick), y * (half + thick), height],
        material: 'ground',
      });
    }
  }

  // -- bodies

  /** A shape that fills a box of these half extents; capsules and cylinders lie along y. */
  makeShape(kind, [a, b, c]) {
    const { dice } = this;
    const radius = Math.min(a, c);
    switch (kind) {
      case 'sphere':
        return { type: 'sphere', radius: Math.min(a, b, c) };
      case 'capsule':
        return b > 1.05 * radius
          ? { type: 'capsule', radius, height: 2 * (b - radius) }
          : { type: 'sphere', radius: Math.min(a, b, c) };
      case 'cylinder':
        return { type: 'cylinder', radius, height: 2 * b };
      case 'convex': {
        const corners = Array.from({ length: 8 }, (_, i) =>
          [i & 1, i & 2, i & 4].map((bit) => (bit ? 1 : -1)),
        );
        const points = corners.map((corner) =>
          [a, b, c].map((half, k) => half * corner[k] * dice.range(0.55, 1)),
        );
        points.push([0, b, 0], [0, -b, 0]);
        return { type: 'convex', points };
      }
      default:
        return { type: 'box', halfExtents: [a, b, c] };
    }
  }

  volumeOf(half) {
    return 8 * half[0] * half[1] * half[2];
  }

  /**
   * Adds a body; `half` are its half extents, `mass` counts as drawn from the ratio of the scene where
   * it is not given.
   */
  addBody({
    kind = 'box',
    half,
    position,
    rotation = [0, 0, 0, 1],
    mass,
    velocity,
    angularVelocity,
    shapes,
  }) {
    const { dice } = this;
    const name = `b${this.bodies.length}`;
    const own = 500 * this.volumeOf(half) * dice.logRange(1, this.massRatio);
    const body = {
      name,
      position,
      rotation,
      mass: mass ?? own,
      geometries: [shapes ? { shapes, material: 'm' } : { shape: this.makeShape(kind, half), material: 'm' }],
    };
    if (velocity) body.velocity = velocity;
    if (angularVelocity) body.angularVelocity = angularVelocity;
    if (this.fast > 0 && dice.chance(this.fast)) body.fast = true;
    this.bodies.push(body);
    return { name, body, half, centre: position, rotation };
  }

  /** A kinematic body that touches nothing and moves on at a constant speed. */
  addHook(position, size) {
    const { dice } = this;
    const name = `b${this.bodies.length}`;
    this.bodies.push({
      name,
      motion: 'kinematic',
      position,
      velocity: scale(dice.range(0, 1), dice.direction()),
      angularVelocity: scale(dice.chance(0.5) ? 0 : dice.range(0, 3), dice.direction()),
      geometries: [{ shape: { type: 'sphere', radius: 0.2 * size }, material: 'm', collisions: false }],
    });
    return { name, body: { mass: Infinity }, half: [0, 0, 0], centre: position, rotation: [0, 0, 0, 1] };
  }

  anyKind() {
    return this.dice.pick(['box', 'box', 'sphere', 'capsule', 'cylinder', 'convex']);
  }

  // -- joints

  addJoint(type, first, second, properties) {
    const { dice } = this;
    const constraint = {
      name: `j${this.constraints.length}`,
      type,
      bodies: [first.name, second ? second.name : null],
      ...properties,
    };
    if (this.compliance !== undefined && constraint.compliance === undefined && type !== 'spring')
      constraint.compliance = this.compliance;
    if (this.breaks && dice.chance(0.4))
      constraint.breakForce = dice.logRange(3, 300) * 9.8 * first.body.mass;
    this.constraints.push(constraint);
    return constraint;
  }

  /**
   * A joint of some type between two bodies, with limits, motors and friction as drawn;
   * `size` is the bodies'.
   */
  addAnyJoint(
    first,
    second,
    anchor,
    { types, axis = this.dice.direction(), size, motors = 0.1, limits = 0.4 },
  ) {
    const { dice } = this;
    const type = dice.pick(
      types ?? [
        'ball',
        'ball',
        'ball',
        'hinge',
        'hinge',
        'hinge',
        'universal',
        'lock',
        'prismatic',
        'cylindrical',
        'distance',
        'spring',
        'planar',
        'angularLock',
        'screw',
      ],
    );
    const mass = Math.min(first.body.mass, second ? second.body.mass : Infinity);
    const torque = 9.8 * mass * size;
    const range = () => ({ limits: [-dice.range(0.05, 2), dice.range(0.05, 2)] });
    const lengthRange = () => ({ limits: [-dice.range(0.05, 0.6) * size, dice.range(0.05, 0.6) * size] });
    const motor = (speed, force) => ({
      speed: dice.range(-speed, speed),
      force: dice.logRange(0.3, 10) * force,
    });
    const friction = (force) => ({ force: dice.range(0.02, 0.5) * force });
    const joint = { anchor };
    switch (type) {
      case 'ball':
        joint.axis = axis;
        if (dice.chance(limits)) joint.cone = { limit: dice.range(0.1, 1.5) };
        if (dice.chance(limits)) joint.twist = { limits: [-dice.range(0.05, 1.5), dice.range(0.05, 1.5)] };
        break;
      case 'hinge':
        joint.axis = axis;
        if (dice.chance(limits)) joint.range = range();
        if (dice.chance(motors)) joint.motor = motor(20, torque);
        else if (dice.chance(0.2)) joint.friction = friction(torque);
        else if (dice.chance(0.06)) joint.lockAt = { position: 0, force: dice.logRange(0.1, 10) * torque };
        break;
      case 'prismatic':
        joint.axis = axis;
        joint.range = lengthRange();
        if (dice.chance(motors)) joint.motor = motor(3 * size, 9.8 * mass);
        else if (dice.chance(0.2)) joint.friction = friction(9.8 * mass);
        break;
      case 'cylindrical':
        joint.axis = axis;
        joint.range = [lengthRange(), dice.chance(limits) ? range() : null];
        break;
      case 'screw':
        joint.axis = axis;
        joint.lead = dice.range(0.02, 0.5) * size * dice.pick([-1, 1]);
        joint.range = [lengthRange(), null];
        break;
      case 'universal':
        joint.axis = axis;
        joint.reference = across(axis);
        if (dice.chance(limits)) joint.range = [range(), range()];
        break;
      case 'planar':
        joint.axis = axis;
        break;
      case 'distance':
      case 'spring': {
        delete joint.anchor;
        const toward = second ? second.centre : add(anchor, [0, 0, size]);
        joint.anchors = [first.centre, toward];
        if (type === 'spring') {
          const frequency = dice.logRange(1, 12); // rad/s of the lighter body, times a few
          joint.stiffness = mass * (2 * frequency) ** 2;
          joint.damping = dice.chance(0.3) ? 0 : dice.range(0.05, 1) * 2 * mass * frequency;
        } else if (dice.chance(0.4)) {
          const apart = length(sub(first.centre, toward));
          joint.range = { limits: [dice.range(0.3, 0.99) * apart, dice.range(1.001, 1.3) * apart] };
        }
        break;
      }
    }
    return this.addJoint(type, first, second, joint);
  }

  /** All bodies get the rigid motion of one body that turns about its middle. */
  setMotion(bodies, velocity, spin) {
    const total = bodies.reduce((sum, { body }) => sum + body.mass, 0);
    const centre = bodies.reduce(
      (sum, { body }) => add(sum, scale(body.mass / total, body.position)),
      [0, 0, 0],
    );
    for (const { body } of bodies) {
      body.velocity = add(velocity, cross(spin, sub(body.position, centre)));
      body.angularVelocity = spin;
    }
  }

  /** Whether all shall come to rest; then contacts must let it. */
  drawCalm(probability) {
    const { dice } = this;
    if (!dice.chance(probability)) return false;
    this.friction = dice.range(0.3, 1);
    this.restitution = dice.chance(0.5) ? 0 : dice.range(0, 0.3);
    return true;
  }

  /**
   * All comes to rest: what rolls, rocks and swings would go on without air.
   * A solver that feeds motion feeds more than this damping takes.
   */
  letRest() {
    this.canRest = true;
    this.steps = 600;
    for (const body of this.bodies) {
      body.linearDamping = [0.8, 0.8, 0.8];
      body.angularDamping = [2, 2, 2];
    }
  }

  /**
   * Moves what was built so that its lowest point is at a height, or above; returns the height of
   * its top, or above.
   */
  lift(bodies, height) {
    const lowest = Math.min(...bodies.map(({ centre, half }) => centre[2] - length(half)));
    const shift = [0, 0, height - lowest];
    const names = new Set(bodies.map(({ name }) => name));
    for (const item of bodies) {
      item.centre = add(item.centre, shift);
      item.body.position = item.centre;
    }
    for (const constraint of this.constraints) {
      if (!constraint.bodies?.some((name) => names.has(name))) continue;
      if (constraint.anchor) constraint.anchor = add(constraint.anchor, shift);
      if (constraint.anchors) constraint.anchors = constraint.anchors.map((point) => add(point, shift));
    }
    return Math.max(...bodies.map(({ centre, half }) => centre[2] + length(half)));
  }

  /**
   * Hooks that go down stop short of the ground: what they hold could only be torn there, or go
   * through it with them.
   */
  limitHooks() {
    for (const body of this.bodies) {
      if (body.motion !== 'kinematic' || body.geometries[0].collisions !== false) continue;
      const [x, y, z] = body.velocity;
      const fall = body.position[2] - this.groundTop;
      body.velocity = [x, y, Math.max(z, (-0.9 * fall) / (this.steps / 60))];
    }
  }

  /** What is lighter than a part of the heaviest body becomes as heavy: families multiply ratios. */
  limitMasses(ratio) {
    const dynamic = this.bodies.filter(({ motion, mass }) => motion === undefined && mass > 0);
    const least = Math.max(...dynamic.map(({ mass }) => mass)) / ratio;
    for (const body of dynamic) body.mass = Math.max(body.mass, least);
  }

  finish(name, ratio) {
    this.limitHooks();
    this.limitMasses(ratio);
    const contact = (a, b) => ({ materials: [a, b], friction: this.friction, restitution: this.restitution });
    const scene = {
      format: 'cairn-scene',
      version: 1,
      name,
      world: { timeStep: 1 / 60, gravity: [0, 0, -this.gravity] },
      materials: [
        { name: 'm', density: 500 },
        { name: 'ground', density: 500 },
      ],
      contactMaterials: [contact('m', 'm'), contact('m', 'ground')],
      bodies: this.bodies,
      geometries: this.geometries,
      constraints: this.constraints,
    };
    if (this.meshes.length > 0) scene.meshes = this.meshes;
    if (this.actions.length > 0) scene.actions = this.actions;
    return scene;
  }
}

// ---- families ---------------------------------------------------------------------------------------------

/**
 * A height to drop from: 0.5…10 m, less for small things, which would fall through everything in one step.
 */
function drawDrop(dice, size) {
  return Math.min(dice.logRange(0.5, 10), Math.max(0.5, 40 * size));
}

/** A human figure 2 sizes tall, hung up somewhere. */
function addRagdoll(builder, size, origin, turn) {
  const { dice } = builder;
  const place = (x, y, z) => add(origin, rotate(turn, scale(size, [x, y, z])));
  const kindOfLimb = dice.pick(['capsule', 'capsule', 'box', 'cylinder']);
  const part = (kind, half, at, axis) =>
    builder.addBody({
      kind,
      half: scale(size, half),
      position: place(...at),
      rotation: axis ? combine(turn, alongY(axis)) : turn,
    });
  const pelvis = part('box', [0.18, 0.12, 0.12], [0, 0, 0]);
  const chest = part('box', [0.2, 0.13, 0.19], [0, 0, 0.35]);
  const head = part(dice.pick(['sphere', 'box']), [0.13, 0.13, 0.13], [0, 0, 0.72]);
  const bodies = [pelvis, chest, head];
  const join = (type, first, second, at, axis, properties) =>
    builder.addJoint(type, first, second, {
      anchor: place(...at),
      axis: rotate(turn, axis),
      ...properties,
    });
  const around = () =>
    dice.chance(0.75) ? { cone: { limit: dice.range(0.3, 1.4) }, twist: { limits: [-0.6, 0.6] } } : {};
  const bend = (sign) =>
    dice.chance(0.75) ? { range: { limits: sign > 0 ? [-0.05, 2.2] : [-2.2, 0.05] } } : {};
  join(dice.pick(['ball', 'hinge', 'universal']), chest, pelvis, [0, 0, 0.14], [0, 0, 1], {});
  join('ball', head, chest, [0, 0, 0.56], [0, 0, 1], around());
  for (const side of [-1, 1]) {
    const upperArm = part(kindOfLimb, [0.075, 0.17, 0.075], [side * 0.42, 0, 0.45], [1, 0, 0]);
    const lowerArm = part(kindOfLimb, [0.065, 0.18, 0.065], [side * 0.79, 0, 0.45], [1, 0, 0]);
    const upperLeg = part(kindOfLimb, [0.085, 0.22, 0.085], [side * 0.1, 0, -0.4], [0, 0, 1]);
    const lowerLeg = part(kindOfLimb, [0.07, 0.22, 0.07], [side * 0.1, 0, -0.87], [0, 0, 1]);
    join('ball', upperArm, chest, [side * 0.23, 0, 0.45], [1, 0, 0], around());
    join('hinge', lowerArm, upperArm, [side * 0.6, 0, 0.45], [0, 0, 1], bend(side));
    join('ball', upperLeg, pelvis, [side * 0.1, 0, -0.15], [0, 0, 1], around());
    join('hinge', lowerLeg, upperLeg, [side * 0.1, 0, -0.635], [1, 0, 0], bend(1));
    bodies.push(upperArm, lowerArm, upperLeg, lowerLeg);
  }
  return bodies;
}

function ragdolls(builder) {
  const { dice } = builder;
  const size = dice.logRange(0.08, 2);
  const isCalm = builder.drawCalm(0.4);
  builder.addGround(size, isCalm ? 'plane' : undefined);
  const count = dice.pick([1, 2, 2, 3, 4, 5]);
  const overlaps = dice.chance(0.15);
  const spread = overlaps ? dice.range(0.3, 1) : 2.4;
  if (builder.ground === 'plane' && dice.chance(0.2)) builder.addWalls(1.5 * spread * size, 4 * size);
  let bottom = builder.groundTop + drawDrop(dice, size);
  for (let i = 0; i < count; ++i) {
    const bodies = addRagdoll(builder, size, [dice.range(-0.3, 0.3) * size, 0, 0], dice.rotation());
    builder.lift(bodies, bottom);
    bottom += spread * size;
    if (dice.chance(0.4))
      builder.setMotion(
        bodies,
        scale(dice.range(0, 3), dice.direction()),
        scale(dice.range(0, 8), dice.direction()),
      );
  }
  builder.steps = 540;
  if (isCalm) builder.letRest();
}

/** Rows of bodies on a grid, close but apart. Returns them by their places. */
function addPile(builder, { size, columns, rows, layers, origin, kinds }) {
  const { dice } = builder;
  const pile = [];
  const pitch = 2.15 * size;
  for (let k = 0; k < layers; ++k)
    for (let j = 0; j < rows; ++j)
      for (let i = 0; i < columns; ++i) {
        const half = [0, 1, 2].map(() => size * dice.range(0.5, 1));
        const at = [(i - (columns - 1) / 2) * pitch, (j - (rows - 1) / 2) * pitch, (k + 0.55) * pitch];
        pile.push(builder.addBody({ kind: dice.pick(kinds), half, position: add(origin, at) }));
      }
  return pile;
}

const RESTING_KINDS = ['box', 'box', 'convex'];
const ALL_KINDS = ['box', 'sphere', 'capsule', 'cylinder', 'convex'];

function piles(builder) {
  const { dice } = builder;
  const size = dice.logRange(0.03, 0.8);
  const isCalm = builder.drawCalm(0.4);
  builder.addGround(2 * size, isCalm ? 'plane' : undefined);
  const [columns, rows] = [dice.whole(2, 4), dice.whole(1, 3)];
  const layers = dice.whole(2, Math.max(2, Math.floor(45 / (columns * rows) / 2)));
  const drop = dice.chance(0.5) ? 0.02 * size : Math.min(drawDrop(dice, size), 3);
  const origin = [0, 0, builder.groundTop + drop];
  const pile = addPile(builder, {
    size,
    columns,
    rows,
    layers,
    origin,
    kinds: isCalm ? RESTING_KINDS : ALL_KINDS,
  });
  if (builder.ground === 'plane' && dice.chance(0.3))
    builder.addWalls((columns + 2) * size * 1.2, 3 * layers * size);

  // neighbours along x are joined
  const share = dice.range(0.1, 0.5);
  const types = isCalm ? ['ball', 'hinge', 'universal', 'lock', 'distance'] : undefined;
  const motors = isCalm ? 0 : 0.15;
  for (let i = 0; i + 1 < pile.length; ++i) {
    if ((i + 1) % columns === 0 || !dice.chance(share)) continue;
    const [first, second] = [pile[i], pile[i + 1]];
    builder.addAnyJoint(first, second, mean(first.centre, second.centre), { size, types, motors });
  }
  builder.steps = dice.whole(240, 400);
  if (isCalm) builder.letRest();
}

/** Links from `start` along a direction; returns the bodies. */
function addChain(
  builder,
  { start, direction, links, half, kind, types, limits = 0.2, size, anchored, hook },
) {
  const pitch = 2 * half[1] * 1.04;
  const rotation = alongY(direction);
  const chain = [];
  let last = hook ?? null;
  for (let i = 0; i < links; ++i) {
    const link = builder.addBody({
      kind,
      half,
      position: add(start, scale((i + 0.5) * pitch, direction)),
      rotation,
    });
    const anchor = add(start, scale(i * pitch, direction));
    const axis = builder.dice.chance(0.5) ? across(direction) : direction;
    if (last || anchored) builder.addAnyJoint(link, last, anchor, { types, axis, size, limits, motors: 0 });
    chain.push(link);
    last = link;
  }
  return chain;
}

function chains(builder) {
  const { dice } = builder;
  const size = dice.logRange(0.05, 1);
  builder.addGround(2 * size);
  const origin = [0, 0, builder.groundTop + 0.02 * size];
  const [columns, layers] = [dice.whole(1, 3), dice.whole(1, 2)];
  addPile(builder, { size, columns, rows: columns, layers, origin, kinds: ALL_KINDS });
  const count = dice.whole(1, 2);
  for (let c = 0; c < count; ++c) {
    const links = dice.whole(4, 20);
    const thick = size * dice.range(0.1, 0.3);
    const half = [thick, thick * dice.range(1.5, 4), thick];
    const isLevel = dice.chance(0.6);
    const direction = unit([dice.range(-1, 1), dice.range(-1, 1), isLevel ? 0 : dice.range(-1, 1)]);
    const reach = links * 2.1 * half[1];
    const below = Math.max(...builder.bodies.map(({ position }) => position[2]));
    const height = below + 3.5 * size + drawDrop(dice, size) * 0.5;
    const start = add(scale(-dice.range(0.2, 0.8) * reach, direction), [0, 0, height]);
    const anchored = dice.chance(0.35);
    const top = add(start, [0, 0, isLevel ? 0 : reach]);
    const hook = dice.chance(0.12) ? builder.addHook(top, size) : undefined;
    const chain = addChain(builder, {
      start: top,
      direction,
      links,
      half,
      kind: dice.pick(['capsule', 'box', 'cylinder']),
      types: dice.pick([
        ['ball'],
        ['ball', 'hinge'],
        ['hinge', 'universal', 'lock'],
        ['ball', 'distance', 'spring'],
      ]),
      size: half[1],
      anchored,
      hook,
    });
    if (dice.chance(0.5)) {
      const last = chain[chain.length - 1];
      const weight = dice.range(0.3, 1) * size;
      const end = add(last.centre, scale(half[1] * 1.04, direction));
      const load = builder.addBody({
        kind: dice.pick(['sphere', 'box']),
        half: [weight, weight, weight],
        position: add(end, scale(1.75 * weight, direction)),
        mass: last.body.mass * dice.logRange(1, 1000),
      });
      builder.addAnyJoint(load, last, end, { types: ['ball', 'hinge'], size: half[1], motors: 0 });
    }
  }
  builder.steps = dice.whole(240, 420);
}

function vehicles(builder) {
  const { dice } = builder;
  const size = dice.logRange(0.1, 3);
  builder.addGround(2 * size);
  const count = dice.whole(1, 2);
  const radius = size * dice.range(0.22, 0.4);
  let last = null;
  for (let v = 0; v < count; ++v) {
    const isTrailer = last !== null && dice.chance(0.5);
    const bottom = builder.groundTop + 0.02 * size + (dice.chance(0.5) ? 0 : drawDrop(dice, size) * 0.4);
    const half = [size, 0.5 * size, 0.2 * size];
    const height = isTrailer ? last.centre[2] : bottom + radius + 0.35 * size;
    const x = v * -3 * size;
    const mass = 500 * builder.volumeOf(half);
    const chassis = builder.addBody({ half, position: [x, 0, height], mass });
    const suspension = dice.pick(['none', 'spring', 'spring', 'lock', 'range']);
    const isDriven = dice.chance(0.75);
    const speed = dice.range(-25, 25);
    const wheelMass = mass / dice.logRange(5, Math.max(10, builder.massRatio));
    for (const sx of [-1, 1])
      for (const sy of [-1, 1]) {
        const hub = [x + 0.75 * sx * size, 0.75 * sy * size, height - 0.35 * size];
        let carrier = chassis;
        if (suspension !== 'none') {
          carrier = builder.addBody({
            half: [0.08 * size, 0.08 * size, 0.08 * size],
            position: add(hub, [0, -0.12 * sy * size, 0]),
            mass: wheelMass * dice.range(0.3, 1),
          });
          const travel = 0.15 * size;
          const slider = { anchor: hub, axis: [0, 0, 1], range: { limits: [-travel, travel] } };
          const stiffness = ((mass / 4) * 9.8) / (0.3 * travel);
          if (suspension === 'lock')
            slider.lockAt = { position: 0, compliance: 1 / stiffness, damping: dice.range(0.02, 0.2) };
          if (suspension === 'range')
            slider.range = { limits: [-travel, 0], compliance: 1 / stiffness, damping: 0.1 };
          builder.addJoint('prismatic', carrier, chassis, slider);
          if (suspension === 'spring')
            builder.addJoint('spring', carrier, chassis, {
              anchors: [hub, add(hub, [0, 0, 0.5 * size])],
              stiffness,
              damping: dice.range(0.1, 0.7) * 2 * Math.sqrt((stiffness * mass) / 4),
              length: 0.5 * size + 0.3 * travel,
            });
        }
        const wheel = builder.addBody({
          kind: dice.pick(['cylinder', 'cylinder', 'sphere', 'convex']),
          half: [radius, 0.12 * size, radius],
          position: hub,
          mass: wheelMass,
        });
        const hinge = { anchor: hub, axis: [0, 1, 0] };
        if (isDriven && (sx < 0 || dice.chance(0.3)))
          hinge.motor = { speed, force: mass * 9.8 * radius * dice.logRange(0.1, 1.5) };
        builder.addJoint('hinge', wheel, carrier, hinge);
      }
    if (isTrailer)
      builder.addJoint(dice.pick(['ball', 'universal']), chassis, last, {
        anchor: [x + 1.5 * size, 0, height],
        axis: [1, 0, 0],
        reference: [0, 0, 1],
      });
    if (dice.chance(0.4)) {
      const load = 0.3 * size;
      builder.addBody({ half: [load, load, load], position: [x, 0, height + 0.2 * size + 1.05 * load] });
    }
    last = chassis;
  }
  builder.steps = dice.whole(300, 480);
}

function platforms(builder) {
  const { dice } = builder;
  const size = dice.logRange(0.1, 2);
  builder.addGround(2 * size, 'plane');
  const half = [size, size * dice.range(0.5, 1), 0.08 * size];
  const isHanging = dice.chance(0.5);
  const tall = size * dice.range(0.5, 1.5);
  const height = isHanging ? size * dice.range(1, 3) : tall + 0.12 * size;
  const plate = builder.addBody({ half, position: [0, 0, height] });
  const corners = dice.chance(0.7)
    ? [-1, 1].flatMap((x) => [-1, 1].map((y) => [x, y]))
    : [
        [-1, -1],
        [1, -1],
        [0, 1],
      ];
  const kind = dice.pick(['chain', 'distance', 'spring', 'bar']);
  for (const [x, y] of corners) {
    const at = [0.85 * x * half[0], 0.85 * y * half[1], height];
    const mass = plate.body.mass;
    if (isHanging && kind === 'chain') {
      const links = dice.whole(2, 4);
      const thick = 0.05 * size;
      const start = add(at, [0, 0, half[2]]);
      const chain = addChain(builder, {
        start,
        direction: [0, 0, 1],
        links,
        half: [thick, tall / links / 2, thick],
        kind: 'capsule',
        types: ['ball', 'hinge', 'universal'],
        limits: 0,
        size: tall / links,
        anchored: false,
      });
      builder.addJoint('ball', chain[0], plate, { anchor: start });
      const top = add(start, [0, 0, links * (tall / links) * 1.04]);
      builder.addJoint('ball', chain[links - 1], null, { anchor: top });
    } else if (isHanging) {
      const top = add(at, [0, 0, tall]);
      const type = kind === 'spring' ? 'spring' : 'distance';
      const joint = { anchors: [at, top] };
      if (type === 'spring') {
        joint.stiffness = (mass * 9.8) / (0.1 * tall);
        joint.damping = dice.range(0, 0.5) * Math.sqrt(joint.stiffness * mass);
      } else if (kind === 'bar') {
        joint.range = { limits: [null, tall] };
      }
      builder.addJoint(type, plate, null, joint);
    } else {
      const leg = builder.addBody({
        kind: dice.pick(['box', 'cylinder', 'capsule']),
        half: [0.07 * size, tall / 2, 0.07 * size],
        position: add(at, [0, 0, -half[2] - 0.02 * size - tall / 2]),
        rotation: alongY([0, 0, 1]),
      });
      const anchor = add(at, [0, 0, -half[2] - 0.01 * size]);
      const types = ['lock', 'ball', 'hinge', 'universal', 'prismatic'];
      builder.addAnyJoint(leg, plate, anchor, {
        types,
        axis: dice.pick([
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ]),
        size,
        motors: 0.05,
      });
    }
  }
  const count = dice.whole(1, 6);
  for (let i = 0; i < count; ++i) {
    const load = size * dice.range(0.12, 0.3);
    const at = [
      dice.range(-0.6, 0.6) * half[0],
      dice.range(-0.6, 0.6) * half[1],
      height + size * (0.66 * i + 0.45),
    ];
    // clear of the chains
    if (isHanging && kind === 'chain') at[1] = 0;
    if (isHanging && kind === 'chain' && load > 0.7 * half[1]) continue;
    builder.addBody({ kind: builder.anyKind(), half: [load, load, load], position: at });
  }
  builder.steps = dice.whole(240, 420);
}

/** Two wheels that gear into each other, a rack under the second, and a load on a rod at the first. */
function addGears(builder, size, base) {
  const { dice } = builder;
  const y = [0, 1, 0];
  const radii = [size * dice.range(0.3, 0.8), size * dice.range(0.3, 0.8)];
  const thick = 0.1 * size;
  const gap = 0.02 * size;
  const wheel = (radius, x) =>
    builder.addBody({ kind: 'cylinder', half: [radius, thick, radius], position: [x, 0, base + size] });
  const [first, second] = [wheel(radii[0], 0), wheel(radii[1], radii[0] + radii[1] + gap)];
  const hinges = [first, second].map((body) =>
    builder.addJoint('hinge', body, null, { anchor: body.centre, axis: y }),
  );
  if (dice.chance(0.5))
    hinges[0].motor = {
      speed: dice.range(-8, 8),
      force: dice.logRange(0.3, 5) * 9.8 * first.body.mass * size,
    };
  const couple = (type, partners, properties) =>
    builder.constraints.push({
      name: `j${builder.constraints.length}`,
      type,
      constraints: partners.map(({ name }) => name),
      ...properties,
    });
  couple('gear', hinges, { ratio: -radii[1] / radii[0] });
  if (dice.chance(0.6)) {
    const at = add(second.centre, [0, 0, -radii[1] - 2 * gap - thick]);
    const rack = builder.addBody({ half: [0.29 * size, thick, thick], position: at });
    const travel = 0.8 * size;
    const slide = { anchor: at, axis: [1, 0, 0], range: { limits: [-travel, travel] } };
    couple('rackPinion', [hinges[1], builder.addJoint('prismatic', rack, null, slide)], { radius: radii[1] });
  }
  // the rod is beside the wheel, and swings
  const pin = add(first.centre, [0.8 * radii[0], -2 * thick, 0]);
  const rod = builder.addBody({
    half: [0.4 * thick, 0.4 * size, 0.4 * thick],
    position: add(pin, [0, 0, -0.4 * size]),
    rotation: alongY([0, 0, 1]),
  });
  builder.addJoint('hinge', rod, first, { anchor: pin, axis: y });
  if (dice.chance(0.5)) {
    const load = 0.2 * size;
    const end = add(pin, [0, 0, -0.8 * size]);
    const weight = builder.addBody({
      kind: builder.anyKind(),
      half: [load, load, load],
      position: add(end, [0, -load - thick, -load - gap]),
      mass: rod.body.mass * dice.logRange(1, 1000),
    });
    builder.addJoint('ball', weight, rod, { anchor: end });
  }
}

function loops(builder) {
  const { dice } = builder;
  const size = dice.logRange(0.1, 2);
  const form = dice.pick(['fourBar', 'fourBar', 'ring', 'ring', 'ring', 'net', 'net', 'gears']);
  builder.addGround(2 * size);
  const base = builder.groundTop + drawDrop(dice, size) * (form === 'fourBar' ? 0.3 : 1) + size;
  if (form === 'fourBar') {
    const y = [0, 1, 0];
    const points = [
      [-size, 0, base],
      [-size + dice.range(-0.3, 0.3) * size, 0, base + dice.range(0.5, 0.9) * size],
      [size * dice.range(0.5, 1.5), 0, base + dice.range(1, 1.6) * size],
      [size, 0, base],
    ];
    const thick = 0.08 * size;
    const bars = [0, 1, 2].map((i) => {
      const along = sub(points[i + 1], points[i]);
      return builder.addBody({
        kind: dice.pick(['box', 'capsule']),
        half: [thick, 0.47 * length(along), thick],
        position: mean(points[i], points[i + 1]),
        rotation: alongY(along),
      });
    });
    const isFree = dice.chance(0.3);
    const frame = isFree
      ? builder.addBody({ half: [0.9 * size, thick, thick], position: mean(points[0], points[3]) })
      : null;
    const crank = { anchor: points[0], axis: y };
    if (dice.chance(0.4))
      crank.motor = {
        speed: dice.range(-10, 10),
        force: dice.logRange(0.5, 5) * 9.8 * bars[1].body.mass * size,
      };
    builder.addJoint('hinge', bars[0], frame, crank);
    builder.addJoint(dice.pick(['hinge', 'ball']), bars[1], bars[0], { anchor: points[1], axis: y });
    builder.addJoint(dice.pick(['hinge', 'ball']), bars[2], bars[1], { anchor: points[2], axis: y });
    const last = { anchor: points[3], axis: y };
    if (dice.chance(0.2)) last.range = { limits: [-dice.range(0.2, 1), dice.range(0.2, 1)] };
    builder.addJoint('hinge', bars[2], frame, last);
    if (isFree) builder.setMotion([...bars, frame], [0, 0, 0], scale(dice.range(0, 20), dice.direction()));
  } else if (form === 'gears') {
    addGears(builder, size, base);
  } else if (form === 'ring') {
    const count = dice.whole(4, 14);
    const turn = dice.rotation();
    const radius = size * 0.8;
    const side = 2 * radius * Math.sin(Math.PI / count);
    const centre = [0, 0, base + 2 * radius];
    const at = (angle, r) => add(centre, rotate(turn, [r * Math.cos(angle), r * Math.sin(angle), 0]));
    const thick = Math.min(0.2 * side, 0.15 * size);
    const kind = dice.pick(['capsule', 'box', 'cylinder']);
    const middle = radius * Math.cos(Math.PI / count);
    const ring = Array.from({ length: count }, (_, i) => {
      const angle = (2 * Math.PI * (i + 0.5)) / count;
      const along = rotate(turn, [-Math.sin(angle), Math.cos(angle), 0]);
      return builder.addBody({
        kind,
        half: [thick, 0.44 * side, thick],
        position: at(angle, middle),
        rotation: alongY(along),
      });
    });
    const types = dice.pick([
      ['ball'],
      ['hinge'],
      ['ball', 'hinge'],
      ['ball', 'distance'],
      ['universal', 'ball'],
    ]);
    const normal = rotate(turn, [0, 0, 1]);
    const limits = dice.chance(0.1) ? 0.8 : 0; // rarely loops and limits contradict each other
    for (let i = 0; i < count; ++i)
      builder.addAnyJoint(ring[i], ring[(i + count - 1) % count], at((2 * Math.PI * i) / count, radius), {
        types,
        axis: normal,
        size: side,
        motors: 0,
        limits,
      });
    if (dice.chance(0.6)) builder.setMotion(ring, [0, 0, 0], scale(dice.range(0, 50), dice.direction()));
  } else {
    const [columns, rows] = [dice.whole(3, 6), dice.whole(3, 6)];
    const pitch = (2 * size) / Math.max(columns, rows);
    const half = scale(0.25 * pitch, [1, 1, 1]);
    const kind = dice.pick(['sphere', 'box']);
    const knots = [];
    for (let j = 0; j < rows; ++j)
      for (let i = 0; i < columns; ++i)
        knots.push(
          builder.addBody({
            kind,
            half,
            position: [(i - (columns - 1) / 2) * pitch, (j - (rows - 1) / 2) * pitch, base + size],
          }),
        );
    const type = dice.pick(['distance', 'ball', 'rope']);
    const join = (a, b) => {
      if (type === 'ball') builder.addJoint('ball', a, b, { anchor: mean(a.centre, b.centre) });
      else
        builder.addJoint('distance', a, b, {
          anchors: [a.centre, b.centre],
          ...(type === 'rope' ? { range: { limits: [null, 1.02 * pitch] } } : {}),
        });
    };
    for (let j = 0; j < rows; ++j)
      for (let i = 0; i < columns; ++i) {
        const k = j * columns + i;
        if (i + 1 < columns) join(knots[k], knots[k + 1]);
        if (j + 1 < rows) join(knots[k], knots[k + columns]);
      }
    if (dice.chance(0.4))
      for (const k of [0, columns - 1, knots.length - columns, knots.length - 1])
        builder.addJoint('ball', knots[k], null, { anchor: knots[k].centre });
    if (dice.chance(0.6)) {
      const load = pitch * dice.range(0.7, 1.2);
      builder.addBody({
        kind: dice.pick(['sphere', 'box']),
        half: [load, load, load],
        position: [0, 0, base + size + 2 * load + dice.range(0, 1)],
        mass: knots[0].body.mass * dice.logRange(1, 1000),
      });
    }
  }
  builder.steps = dice.whole(240, 400);
}

function scissors(builder) {
  const { dice } = builder;
  const size = dice.logRange(0.1, 1.5);
  builder.addGround(2 * size);
  const count = dice.whole(1, 3);
  let bottom = builder.groundTop;
  for (let c = 0; c < count; ++c) {
    const stages = dice.whole(1, 4);
    const [width, height] = [size * dice.range(0.5, 1.2), size * dice.range(0.5, 1.2)];
    const thick = 0.07 * size;
    const type = () => dice.pick(['hinge', 'hinge', 'hinge', 'ball']);
    const y = [0, 1, 0];
    const built = [];
    let below = null;
    for (let k = 0; k < stages; ++k) {
      const z = k * height;
      const bar = (sign) =>
        builder.addBody({
          kind: dice.pick(['box', 'box', 'capsule']),
          half: [thick, 0.48 * Math.hypot(width, height), thick],
          position: [0, sign * 1.3 * thick, z + height / 2],
          rotation: alongY([sign * width, 0, height]),
        });
      const [a, b] = [bar(1), bar(-1)];
      const middle = { anchor: [0, 0, z + height / 2], axis: y };
      if (dice.chance(0.2)) middle.range = { limits: [-dice.range(0.1, 0.8), dice.range(0.1, 0.8)] };
      builder.addJoint('hinge', a, b, middle);
      if (below) {
        builder.addJoint(type(), a, below.b, { anchor: [-width / 2, 0, z], axis: y });
        builder.addJoint(type(), b, below.a, { anchor: [width / 2, 0, z], axis: y });
      }
      built.push(a, b);
      below = { a, b };
    }
    if (dice.chance(0.6)) {
      // a plate on top, held on one side, or a block on each end
      const z = stages * height;
      const block = dice.range(0.1, 0.25) * size;
      if (dice.chance(0.5)) {
        for (const [bar, sign] of [
          [below.a, 1],
          [below.b, -1],
        ]) {
          const at = [sign * (width / 2 + block), 0, z + block];
          const end = builder.addBody({ kind: builder.anyKind(), half: [block, block, block], position: at });
          builder.addJoint(dice.pick(['ball', 'lock', 'hinge']), end, bar, {
            anchor: [(sign * width) / 2, 0, z],
            axis: y,
          });
          built.push(end);
        }
      } else {
        const plate = builder.addBody({
          half: [width / 2 + block, 2 * block, 0.2 * block],
          position: [0, 0, z + 2 * thick + 0.2 * block],
        });
        builder.addJoint('hinge', below.a, plate, { anchor: [width / 2, 0, z], axis: y });
        built.push(plate);
      }
    }
    const drop = dice.chance(0.3) ? 0.02 * size : drawDrop(dice, size);
    bottom = builder.lift(built, bottom + drop);
    if (dice.chance(0.4)) builder.setMotion(built, [0, 0, 0], scale(dice.range(0, 15), dice.direction()));
  }
  builder.steps = dice.whole(240, 400);
}

/** Bodies joined in a tree, none overlapping another. */
function addLinkage(builder, { count, size, types, limits, motors }) {
  const { dice } = builder;
  const placed = [];
  for (let i = 0; i < count; ++i) {
    const half = [size * dice.range(0.2, 0.4), size * dice.range(0.3, 1), size * dice.range(0.2, 0.4)];
    const reach = length(half);
    let parent = null;
    let centre = [0, 0, 0];
    let isFree = i === 0;
    for (let tries = 0; tries < 30 && !isFree; ++tries) {
      parent = dice.pick(placed);
      centre = add(parent.centre, scale(1.05 * (reach + length(parent.half)), dice.direction()));
      isFree = placed.every((other) => length(sub(other.centre, centre)) > reach + length(other.half));
    }
    if (!isFree) continue;
    const body = builder.addBody({
      kind: builder.anyKind(),
      half,
      position: centre,
      rotation: dice.rotation(),
    });
    if (parent) {
      const share = length(parent.half) / (length(parent.half) + reach);
      const anchor = add(parent.centre, scale(share, sub(centre, parent.centre)));
      builder.addAnyJoint(body, parent, anchor, { types, size, limits, motors });
    }
    placed.push(body);
  }
  return placed;
}

function linkages(builder) {
  const { dice } = builder;
  const size = dice.logRange(0.05, 2);
  const isFree = dice.chance(0.25);
  if (isFree) builder.gravity = dice.chance(0.7) ? 0 : 9.80665;
  else builder.addGround(2 * size);
  const count = dice.whole(1, 4);
  let bottom = builder.groundTop;
  for (let i = 0; i < count; ++i) {
    const bodies = addLinkage(builder, {
      count: dice.pick([2, 2, 3, 3, 4, 6, 9]),
      size,
      types: dice.chance(0.5)
        ? dice.pick([['ball'], ['hinge'], ['universal'], ['lock', 'ball'], ['hinge', 'ball']])
        : undefined,
      limits: dice.pick([0, 0.5]),
      motors: dice.pick([0, 0, 0.2]),
    });
    bottom = builder.lift(bodies, bottom + drawDrop(dice, size));
    const spin = dice.chance(0.06) ? 400 : dice.chance(0.3) ? 0 : dice.range(0, 50);
    const velocity = scale(dice.range(0, 4), dice.direction());
    builder.setMotion(
      bodies,
      velocity,
      scale(dice.chance(0.7) ? Math.min(spin, 8 / size) : spin, dice.direction()),
    );
    // one body turns by itself: the joints make it lose what they do not allow
    if (dice.chance(0.3)) dice.pick(bodies).body.angularVelocity = scale(dice.range(5, 50), dice.direction());
  }
  builder.steps = dice.whole(240, 400);
}

function arms(builder) {
  const { dice } = builder;
  const size = dice.logRange(0.1, 1.5);
  builder.addGround(2 * size);
  const pileSize = size * dice.range(0.2, 0.4);
  const origin = [0, 0, builder.groundTop + 0.02 * pileSize];
  const layers = dice.whole(1, 4);
  const pile = addPile(builder, {
    size: pileSize,
    columns: dice.whole(1, 3),
    rows: dice.whole(1, 3),
    layers,
    origin,
    kinds: ALL_KINDS,
  });
  if (pile.length > 1 && dice.chance(0.3))
    builder.addAnyJoint(pile[0], pile[1], mean(pile[0].centre, pile[1].centre), { size: pileSize });
  const isPendulum = dice.chance(0.4);
  const links = isPendulum ? dice.whole(1, 8) : dice.whole(1, 5);
  const half = [0.1 * size, (isPendulum ? 1 / links + 0.2 : 0.6) * size, 0.1 * size];
  const reach = links * 2.08 * half[1];
  const pileTop = 2.3 * pileSize * layers;
  if (isPendulum) {
    // it swings down through the pile
    const top = builder.groundTop + reach + dice.range(0.3, 0.9) * pileTop + 0.3 * size;
    const angle = dice.range(0.5, 1.5);
    const direction = [-Math.sin(angle), 0, -Math.cos(angle)];
    const clear = 2.3 * pileSize * 3;
    const start = [clear * dice.range(0, 0.3), 0, top + clear];
    const chain = addChain(builder, {
      start,
      direction:
        angle < 1
          ? [-1, 0, 0.2].map((x) => x / Math.hypot(1, 0.2))
          : direction.map((x, i) => (i === 2 ? 0 : -1 * (i === 0))),
      links,
      half,
      kind: dice.pick(['capsule', 'box']),
      types: dice.pick([['ball'], ['hinge', 'ball'], ['universal']]),
      limits: 0,
      size: half[1],
      anchored: true,
    });
    const last = chain[chain.length - 1];
    const weight = 0.3 * size;
    const along = unit(sub(last.centre, start));
    const end = add(last.centre, scale(half[1] * 1.04, along));
    const ball = builder.addBody({
      kind: 'sphere',
      half: [weight, weight, weight],
      position: add(end, scale(1.05 * weight, along)),
      mass: last.body.mass * dice.logRange(1, 1000),
    });
    builder.addJoint('ball', ball, last, { anchor: end });
  } else {
    const base = [
      dice.range(2, 3.5) * 2.3 * pileSize,
      0,
      builder.groundTop + dice.range(0.2, 1) * pileTop + 0.3 * size,
    ];
    const direction = [0, 0, 1];
    let last = null;
    for (let i = 0; i < links; ++i) {
      const link = builder.addBody({
        kind: dice.pick(['box', 'capsule']),
        half,
        position: add(base, scale((i + 0.5) * 2.08 * half[1], direction)),
        rotation: alongY(direction),
        mass: 500 * builder.volumeOf(half) * dice.logRange(1, Math.min(builder.massRatio, 30)),
      });
      const axis =
        i === 0 && dice.chance(0.5)
          ? [0, 1, 0]
          : dice.pick([
              [0, 1, 0],
              [1, 0, 0],
              [0, 0, 1],
            ]);
      const joint = { anchor: add(base, scale(i * 2.08 * half[1], direction)), axis };
      if (dice.chance(0.8))
        joint.motor = {
          speed: dice.range(-6, 6),
          force: dice.logRange(0.3, 10) * 9.8 * link.body.mass * half[1] * links,
        };
      if (dice.chance(0.4)) joint.range = { limits: [-dice.range(0.3, 2.5), dice.range(0.3, 2.5)] };
      const constraint = builder.addJoint('hinge', link, last, joint);
      if (joint.motor && dice.chance(0.4))
        builder.actions.push({
          at: dice.range(0.5, 4),
          constraint: constraint.name,
          motor: { speed: -joint.motor.speed, force: joint.motor.force },
        });
      last = link;
    }
  }
  builder.steps = dice.whole(240, 420);
}

const FAMILY_MAKERS = { ragdolls, chains, vehicles, platforms, loops, scissors, piles, linkages, arms };

/** Names of the families, in the order in which seeds take turns through them. */
export const FAMILIES = Object.keys(FAMILY_MAKERS);

export const familyOf = (seed) => FAMILIES[seed % FAMILIES.length];

/**
 * A scene of its own for every whole number from 1 on, and whether all that is in it comes to rest by
 * friction and by impacts. No body is lighter than the heaviest by more than `ratio`.
 * @param {number} seed
 * @param {{ ratio?: number }} [options]
 * @returns {{ scene: object, family: string, canRest: boolean, steps: number }}
 */
export function makeHuntScene(seed, { ratio = 1000 } = {}) {
  const family = familyOf(seed);
  const builder = new Builder(seed);
  FAMILY_MAKERS[family](builder);
  const scene = builder.finish(`hunt-${seed}-${family}`, ratio);
  return { scene, family, canRest: builder.canRest, steps: builder.steps };
}
