// Rapier with its two kinds of joints.
import fs from 'node:fs';
import RAPIER from '@dimforge/rapier3d-simd-compat';
import { GRAVITY, LINK_INERTIA, LINK_LENGTH, TIME_STEP } from '../scenes.mjs';

export const variants = {
  'Rapier, multibody': { multibody: true },
  'Rapier, impulse joints': { multibody: false },
};

const xyz = ([x, y, z]) => ({ x, y, z });
const xyzw = ([x, y, z, w]) => ({ x, y, z, w });

export async function start(chain, { multibody }) {
  await RAPIER.init();
  const world = new RAPIER.World(xyz(GRAVITY));
  world.timestep = TIME_STEP;
  const wall = world.createRigidBody(RAPIER.RigidBodyDesc.fixed().setRotation(xyzw(chain.rotation)));
  const bodies = [];
  for (let i = 0; i < chain.count; ++i) {
    const body = world.createRigidBody(
      RAPIER.RigidBodyDesc.dynamic()
        .setTranslation(...chain.centre(i))
        .setRotation(xyzw(chain.rotation))
        .setAdditionalMassProperties(chain.mass(i), xyz([0, 0, 0]), xyz(LINK_INERTIA), xyzw([0, 0, 0, 1]))
        .setCanSleep(false),
    );
    const anchor = i === 0 ? 0 : LINK_LENGTH / 2;
    const joint = RAPIER.JointData.spherical(xyz([anchor, 0, 0]), xyz([-LINK_LENGTH / 2, 0, 0]));
    const former = bodies[i - 1] ?? wall;
    if (multibody) world.createMultibodyJoint(joint, former, body, true);
    else world.createImpulseJoint(joint, former, body, true);
    bodies.push(body);
  }
  const file = new URL('../node_modules/@dimforge/rapier3d-simd-compat/package.json', import.meta.url);
  return {
    version: JSON.parse(fs.readFileSync(file, 'utf8')).version,
    step: () => world.step(),
    read(poses) {
      bodies.forEach((body, i) => {
        const { x, y, z } = body.translation();
        const rotation = body.rotation();
        poses.set([x, y, z, rotation.x, rotation.y, rotation.z, rotation.w], 7 * i);
      });
    },
  };
}
