// The command: results, samples, exit statuses, errors.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sampledSteps, stepAt } from '../../web/cli/schedule.js';
import { near, root } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'cairn-cli-'));
after(() => rmSync(folder, { recursive: true }));

const cli = join(root, 'web/cli.js');

function cairn(...words) {
  return spawnSync(process.execPath, [cli, ...words], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 120000,
    maxBuffer: 2 ** 28,
  });
}

/** A scene file of one falling ball, changed as told. */
function sceneFile(name, changes = {}) {
  const scene = {
    format: 'cairn-scene',
    version: 1,
    name: 'fall',
    world: { timeStep: 0.01 },
    bodies: [{ name: 'ball', position: [0, 0, 2], geometries: [{ shape: { type: 'sphere', radius: 0.5 } }] }],
    record: ['body/ball/position'],
    ...changes,
  };
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(scene));
  return file;
}

const ball = sceneFile('ball.json');

test('run gives one JSON object with every step by default', () => {
  const { status, stdout, stderr } = cairn('run', ball, '--steps', '5', '--threads', '1');
  assert.equal(status, 0, stderr);
  assert.equal(stderr, '');
  const result = JSON.parse(stdout);
  assert.deepEqual(Object.keys(result), ['scene', 'timeStep', 'steps', 'threads', 'time', 'channels']);
  assert.deepEqual([result.scene, result.timeStep, result.steps, result.threads], ['fall', 0.01, 5, 1]);
  assert.deepEqual(
    result.time,
    [0, 1, 2, 3, 4, 5].map((step) => step * 0.01),
  );
  const positions = result.channels['body/ball/position'];
  assert.equal(positions.length, 6);
  assert.deepEqual(positions[0], [0, 0, 2]);
  near(positions[5][2], 2 - (9.80665 * 0.05 ** 2) / 2, 1e-12);
});

test('options of run: time, every, record, time-step, solver, threads, out', () => {
  const out = join(folder, 'result.json');
  const words = [
    '--time=0.1',
    '--every',
    '0.03',
    '--record',
    'world/hash,body/ball/mass,body/ball/asleep',
    '--time-step',
    '0.02',
  ];
  const { status, stdout, stderr } = cairn(
    'run',
    ball,
    ...words,
    '--solver',
    'iterative',
    '--threads',
    '2',
    '--out',
    out,
  );
  assert.equal(status, 0, stderr);
  assert.equal(stdout, '');
  const result = JSON.parse(readFileSync(out, 'utf8'));
  assert.deepEqual([result.timeStep, result.steps, result.threads], [0.02, 5, 2]);
  assert.deepEqual(
    result.time,
    [0, 2, 3, 5].map((step) => step * 0.02),
  );
  assert.deepEqual(Object.keys(result.channels), ['world/hash', 'body/ball/mass', 'body/ball/asleep']);
  assert.match(result.channels['world/hash'][3], /^[0-9a-f]{16}$/);
  assert.equal(result.channels['body/ball/asleep'][0], false);
});

test('without a length ten seconds are run', () => {
  const { stdout } = cairn('run', ball, '--every', '100', '--threads', '1');
  const { steps, time } = JSON.parse(stdout);
  assert.equal(steps, 1000);
  assert.deepEqual(time, [0, 10]);
  assert.deepEqual(JSON.parse(cairn('run', ball, '--steps', '0', '--threads', '1').stdout).time, [0]);
});

test('a step is sampled when it is the first at or after a multiple, and at most once', () => {
  const list = (...words) => [...sampledSteps(...words)];
  assert.deepEqual(list(5, 0.01, undefined), [1, 2, 3, 4, 5]);
  assert.deepEqual(list(5, 0.01, 0.004), [1, 2, 3, 4, 5]);
  assert.deepEqual(list(7, 0.01, 0.015), [2, 3, 5, 6, 7]);
  assert.deepEqual(list(7, 0.01, 0.03), [3, 6, 7]);
  assert.deepEqual(list(60, 1 / 60, 0.25), [15, 30, 45, 60]);
  assert.deepEqual(list(3, 0.01, 1e9), [3]);
  assert.deepEqual(list(0, 0.01, 0.1), []);
  // within a millionth of a step
  assert.equal(stepAt(0.1, 0.1 / 3), 3);
  assert.equal(stepAt(0.03 + 1e-9, 0.01), 3);
  assert.equal(stepAt(0.0301, 0.01), 4);
});

test('a million steps of one body have no overhead to speak of', () => {
  const scene = join(root, 'demo/scenes/dzhanibekov.json');
  const start = performance.now();
  const { status, stdout, stderr } = cairn(
    'run',
    scene,
    '--steps',
    '1000000',
    '--every',
    '10',
    '--threads',
    '1',
  );
  assert.equal(status, 0, stderr);
  assert.ok(JSON.parse(stdout).time.length > 1000);
  const seconds = (performance.now() - start) / 1000;
  assert.ok(seconds < 60, `a million steps took ${seconds.toFixed(1)} s`);
});

test('a scene of joints runs, and its channels are recorded', () => {
  const record = 'constraint/joint0/force,constraint/joint29/violation,constraint/joint0/dof/2';
  const scene = join(root, 'demo/scenes/heavy-chain.json');
  const { status, stdout, stderr } = cairn('run', scene, '--time', '1', '--every', '0.5', '--record', record);
  assert.equal(status, 0, stderr);
  const { time, channels } = JSON.parse(stdout);
  assert.deepEqual(time.length, 3);
  const [, , force] = channels['constraint/joint0/force'];
  // the hook bears a good part of ten tonnes, and the last joint holds
  assert.ok(Math.hypot(...force) > 3e4, String(force));
  assert.ok(channels['constraint/joint29/violation'].every((value) => value < 1e-3));
  near(channels['constraint/joint0/dof/2'][2], force[2], 1e-6);
});

test('check prints a summary', () => {
  const { status, stdout, stderr } = cairn('check', join(root, 'demo/scenes/pit.json'));
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^scene +pit$/m);
  assert.match(stdout, /^bodies +\d+ \(\d+ dynamic/m);
});

test('list prints what there is', () => {
  for (const [kind, pattern] of [
    ['materials', /^steel/m],
    ['contact-materials', /steel/],
    ['shapes', /^sphere +radius$/m],
    ['channels', /body\/NAME\/position/],
  ]) {
    const { status, stdout, stderr } = cairn('list', kind);
    assert.equal(status, 0, stderr);
    assert.match(stdout, pattern);
  }
});

test('help and version', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.equal(cairn('--version').stdout, `cairn ${version}\n`);
  for (const words of [['--help'], ['run', '--help'], ['check', '-h'], ['list', '--help'], ['help', 'run']]) {
    const { status, stdout } = cairn(...words);
    assert.equal(status, 0);
    assert.match(stdout, /^usage: cairn/);
  }
});

test('bad arguments and bad files end with 2 and a reason', () => {
  const bad = (name, text) => {
    writeFileSync(join(folder, name), text);
    return name;
  };
  const cases = [
    [[], /no command/],
    [['fly'], /unknown command "fly"/],
    [['run'], /SCENE.json is missing/],
    [['run', ball, ball], /one SCENE.json/],
    [['run', 'nothing.json'], /nothing.json: cannot be read, there is no such file/],
    [['run', folder], /cannot be read, it is a folder/],
    [['run', ball, '--fast'], /unknown option --fast, allowed are --time/],
    [['run', ball, '--time'], /--time needs a value/],
    [['run', ball, '--time', 'soon'], /--time is "soon"/],
    [['run', ball, '--time', '-1'], /--time is "-1"/],
    [['run', ball, '--time', '1', '--steps', '1'], /one of them/],
    [['run', ball, '--steps', '1.5'], /--steps is "1.5", allowed are integers/],
    [['run', ball, '--steps', '1', '--steps', '2'], /twice/],
    [['run', ball, '--every', '0'], /--every is "0"/],
    [['run', ball, '--threads', '0'], /--threads is "0"/],
    [['run', ball, '--time-step', '9'], /--time-step/],
    [['run', ball, '--solver', 'magic'], /--solver is "magic"/],
    [['run', ball, '--record', 'body/nobody/position'], /--record: .*nobody/],
    [['run', ball, '--out', join(folder, 'no', 'folder.json')], /--out .*no such folder/],
    [['run', bad('syntax.json', '{"format": ')], /syntax.json: .*line 1/],
    [['run', sceneFile('unknown.json', { colour: 1 })], /\/colour/],
    [['run', sceneFile('mass.json', { bodies: [{ mass: -1 }] })], /\/bodies\/0\/mass/],
    [['check', sceneFile('record.json', { record: ['body/x/position'] })], /\/record\/0/],
    [['check', sceneFile('merge.json', { world: { mergeSplit: { speed: 1 } } })], /mergeSplit\/speed/],
    [['check', ball, '--threads', '2'], /unknown option/],
    [['list'], /missing/],
    [['list', 'planets'], /there is no list "planets"/],
  ];
  for (const [words, pattern] of cases) {
    const { status, stdout, stderr } = cairn(...words);
    assert.equal(status, 2, `cairn ${words.join(' ')}: ${stderr}`);
    assert.match(stderr, pattern);
    assert.match(stderr, /^cairn: /);
    assert.equal(stdout, '');
    assert.ok(!/ {4}at /.test(stderr), stderr);
  }
});

test('a step that fails ends with 1 and says which body and when', () => {
  const bodies = [{ name: 'comet', mass: 1, inertia: [1, 1, 1], position: [1e-150, 0, 0] }];
  const world = { timeStep: 0.5, gravity: { type: 'kepler', centre: [0, 0, 0], mu: 1e30 } };
  const file = sceneFile('fail.json', { bodies, world, record: ['body/comet/position'] });
  const { status, stderr, stdout } = cairn('run', file, '--steps', '10', '--threads', '1');
  assert.equal(status, 1, stdout);
  assert.match(stderr, /t = 0\.5 s/);
  assert.match(stderr, /comet|body 0|body/);
  assert.equal(stdout, '');
});

test('whoever reads may stop: no error is printed', async () => {
  const words = ['run', ball, '--steps', '20000', '--threads', '1'];
  const child = spawn(process.execPath, [cli, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (piece) => (errors += piece));
  child.stdout.once('data', () => child.stdout.destroy());
  await new Promise((resolve) => child.on('close', resolve));
  assert.equal(errors, '');
});

test('run saves a snapshot and a recording, and replay compares it', () => {
  const file = sceneFile('recorded.json');
  const { status, stderr } = cairn(
    'run',
    file,
    '--steps',
    '20',
    '--save',
    'end.snapshot',
    '--recording',
    'fall.recording',
  );
  assert.equal(status, 0, stderr);
  assert.equal(readFileSync(join(folder, 'end.snapshot')).toString('latin1', 0, 7), 'CAIRNSN');
  const same = cairn('replay', 'fall.recording', '--threads', '1');
  assert.equal(same.stdout, '20 steps, all as recorded\n', same.stderr);
  assert.equal(same.status, 0);

  // the hash of the last step becomes another one
  const bytes = readFileSync(join(folder, 'fall.recording'));
  writeFileSync(join(folder, 'cut.recording'), bytes.subarray(0, bytes.length - 32));
  const cut = cairn('replay', 'cut.recording');
  assert.equal(cut.status, 2);
  assert.match(cut.stderr, /after 19 steps: the recording is cut or damaged/);
  assert.equal(cairn('replay', 'recorded.json').status, 2);
});

test('copy-files puts the files that a page loads into a folder', () => {
  const target = join(folder, 'public', 'cairn');
  const { status, stdout, stderr } = cairn('copy-files', 'public/cairn');
  assert.equal(status, 0, stderr);
  const names = [
    'cairn.mt.wasm',
    'cairn.mt.web.js',
    'cairn.mt.worker.js',
    'cairn.readers.wasm',
    'cairn.st.wasm',
  ];
  assert.deepEqual(readdirSync(target).sort(), names);
  assert.deepEqual(
    stdout.trim().split('\n').sort(),
    names.map((name) => join(realpathSync(target), name)).sort(),
  );
  for (const name of names) {
    assert.ok(readFileSync(join(target, name)).equals(readFileSync(join(root, 'web/dist', name))));
  }
  // again over what is there, since a build runs more than once
  assert.equal(cairn('copy-files', 'public/cairn').status, 0);
  for (const [words, text] of [
    [['copy-files'], /DIR is missing/],
    [['copy-files', 'a', 'b'], /one DIR is wanted/],
    [['copy-files', '--all', 'a'], /unknown option --all/],
    [['copy-files', ball], /ball\.json cannot be written: EEXIST/],
  ]) {
    const refused = cairn(...words);
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, text);
  }
  assert.match(cairn('copy-files', '--help').stdout, /^usage: cairn copy-files DIR/);
});
