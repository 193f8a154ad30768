// Runs scenes that tests make, and what their cases share.
//
// The module under test is the WebAssembly build; with CAIRN_NATIVE=path of cairn_native in the environment
// the native tool runs the same scenes, several times as fast.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const standardGravity = 9.80665;

/** A validation reference of this folder. */
export function readCase(id) {
  return JSON.parse(readFileSync(new URL(`${id}.json`, import.meta.url), 'utf8'));
}

/** A whole scene from its sections; `world` is m, kg, s as in the format. */
export function makeScene(sections) {
  return { format: 'cairn-scene', version: 1, ...sections };
}

/**
 * Sections of a scene with one material, m, that does not bounce off itself; `properties` of such contacts.
 */
export function touching(properties) {
  return {
    materials: [{ name: 'm' }],
    contactMaterials: [{ materials: ['m', 'm'], restitution: 0, ...properties }],
  };
}

/** Geometries of material m: z = 0, and a box. */
export const ground = { shape: { type: 'plane', normal: [0, 0, 1], d: 0 }, material: 'm' };
export const box = (halfExtents, material = 'm') => ({ shape: { type: 'box', halfExtents }, material });

/** Channels of how far each constraint is open; springs may be. */
export const violations = ({ constraints }) =>
  constraints.filter(({ type }) => type !== 'spring').map(({ name }) => `constraint/${name}/violation`);

/** A generator of numbers in 0…1. */
export function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function runNatively(tool, scene, options) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-'));
  try {
    const file = join(folder, 'scene.json');
    writeFileSync(file, JSON.stringify(scene));
    const args = [file, '--steps', String(options.steps), '--record', options.record.join(',')];
    if (options.every > 1) args.push('--every', String(options.every * options.timeStep));
    const result = JSON.parse(execFileSync(tool, args, { encoding: 'utf8', maxBuffer: 1 << 30 }));
    return { time: result.time, channels: result.channels };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runInWasm(scene, options) {
  const { getCairn } = await import('../node/helpers.mjs');
  const cairn = await getCairn('st', 1);
  const loaded = cairn.loadScene(JSON.stringify(scene));
  try {
    const open = options.record.map((name) => loaded.openChannel(name));
    const time = [];
    const channels = Object.fromEntries(options.record.map((name) => [name, []]));
    const sample = (step) => {
      time.push(step * options.timeStep);
      open.forEach((channel, i) => channels[options.record[i]].push(channel.read()));
    };
    sample(0);
    for (let step = 1; step <= options.steps; ++step) {
      loaded.step();
      if (step % options.every === 0 || step === options.steps) sample(step);
    }
    return { time, channels };
  } finally {
    loaded.dispose();
  }
}

/**
 * Steps a scene for `time` seconds (rounded up to steps) and samples `record` at the start and after every
 * `every` steps. Answers { time: [s], channels: { name: [value] }, of(name) }.
 */
export async function simulate(scene, { time, record, every = 1 }) {
  const timeStep = scene.world?.timeStep ?? 1 / 60;
  const options = { steps: Math.ceil(time / timeStep - 1e-6), every, record: [...new Set(record)], timeStep };
  const tool = process.env.CAIRN_NATIVE;
  const result = tool ? runNatively(tool, scene, options) : await runInWasm(scene, options);
  return { ...result, timeStep, of: (name) => result.channels[name] };
}

/**
 * Samples a scene at given times, each with the step after it: { t, now, next } by channel. Poses and
 * velocities of `now` and forces of `next` belong to t.
 */
export async function sampleAt(scene, times, record) {
  const h = scene.world?.timeStep ?? 1 / 60;
  const wanted = times.map((t) => Math.round(t / h));
  const steps = Math.max(...wanted) + 1;
  const pick = (k, channels, index) =>
    Object.fromEntries(record.map((name) => [name, channels[name][index(k)]]));
  if (process.env.CAIRN_NATIVE) {
    const { channels } = runNatively(process.env.CAIRN_NATIVE, scene, {
      steps,
      every: 1,
      record,
      timeStep: h,
    });
    return times.map((t, i) => ({
      t,
      now: pick(wanted[i], channels, (k) => k),
      next: pick(wanted[i] + 1, channels, (k) => k),
    }));
  }
  const { getCairn } = await import('../node/helpers.mjs');
  const loaded = (await getCairn('st', 1)).loadScene(JSON.stringify(scene));
  try {
    const open = record.map((name) => [name, loaded.openChannel(name)]);
    const due = new Set(wanted.flatMap((k) => [k, k + 1]));
    const samples = new Map();
    for (let step = 0; step <= steps; ++step) {
      if (step > 0) loaded.step();
      if (due.has(step))
        samples.set(step, Object.fromEntries(open.map(([name, channel]) => [name, channel.read()])));
    }
    return times.map((t, i) => ({ t, now: samples.get(wanted[i]), next: samples.get(wanted[i] + 1) }));
  } finally {
    loaded.dispose();
  }
}

// ---- vectors ----------------------------------------------------------------------------------------------

export const add = (a, b) => a.map((x, i) => x + b[i]);
export const sub = (a, b) => a.map((x, i) => x - b[i]);
export const scale = (s, a) => a.map((x) => s * x);
export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
export const length = (a) => Math.hypot(...a);
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** v turned by a quaternion [x, y, z, w]. */
export function rotate([x, y, z, w], v) {
  const t = scale(2, cross([x, y, z], v));
  return add(add(v, scale(w, t)), cross([x, y, z], t));
}

/** Quaternion of a turn about an axis. */
export function turnAbout(axis, angle) {
  const n = scale(Math.sin(angle / 2) / length(axis), axis);
  return [...n, Math.cos(angle / 2)];
}

/** A scene's mesh of two triangles, a rectangle at z = 0. @param {number[]} halves half of its sides, m */
export const sheet = ([x, y]) => ({
  name: 'sheet',
  vertices: [
    [-x, -y, 0],
    [x, -y, 0],
    [x, y, 0],
    [-x, y, 0],
  ],
  triangles: [
    [0, 1, 2],
    [0, 2, 3],
  ],
});

// ---- readings ---------------------------------------------------------------------------------------------

/** The largest difference of two numbers or lists, sample by sample. */
export function largest(values) {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

/** The largest value of some channels in any sample. */
export const highest = (run, names) => Math.max(...names.map((name) => Math.max(...run.of(name))));

export function near(value, expected, within, what) {
  const list = typeof value === 'number' ? [value] : value;
  const wanted = typeof expected === 'number' ? [expected] : expected;
  list.forEach((x, i) =>
    assert.ok(Math.abs(x - wanted[i]) <= within, `${what}: ${value}, expected ${expected} ± ${within}`),
  );
}

// ---- measured cases ---------------------------------------------------------------------------------------

/** Follows the largest of some errors. */
export class Errors {
  values = {};
  add(name, error) {
    const size = typeof error === 'number' ? Math.abs(error) : Math.max(...error.map(Math.abs));
    this.values[name] = Number.isNaN(size) ? NaN : Math.max(this.values[name] ?? 0, size);
  }
}

/** Answer of a case: errors beside limits, by name. */
export const answer = (errors, limits, plot) => ({
  rows: Object.entries(limits).map(([name, [limit, unit]]) => ({
    name,
    error: errors.values[name] ?? NaN,
    limit,
    unit,
  })),
  plot,
});

export const energyChannels = ['world/kineticEnergy', 'world/potentialEnergy'];
export const energyOf = ({ now }) => now['world/kineticEnergy'] + now['world/potentialEnergy'];

export const column = (samples, i) => samples.map((sample) => sample[i]);
export const plotOf = (y, unit, times, computed, reference) => ({
  x: 't, s',
  y,
  unit,
  times,
  computed,
  reference,
});
