// How engines look in charts and legends: a shape of its own besides the colour, so that colours are not all.

/** Outlines in a box from −1 to 1, as SVG paths. */
const SHAPES = {
  circle: 'M1,0A1,1,0,1,1,-1,0A1,1,0,1,1,1,0Z',
  square: 'M-0.85,-0.85H0.85V0.85H-0.85Z',
  up: 'M0,-1L1,0.8H-1Z',
  down: 'M0,1L1,-0.8H-1Z',
  diamond: 'M0,-1.15L1.15,0L0,1.15L-1.15,0Z',
  cross: 'M-1,-0.4H-0.4V-1H0.4V-0.4H1V0.4H0.4V1H-0.4V0.4H-1Z',
  left: 'M-1,0L0.8,-1V1Z',
  right: 'M1,0L-0.8,-1V1Z',
};

const KNOWN = {
  cairn: 'circle',
  rapier: 'square',
  havok: 'up',
  physx: 'diamond',
  box3d: 'cross',
  jolt: 'down',
  'jolt-mt1': 'left',
  mujoco: 'right',
};

/** The colours of light and dark pages, by the custom property that has them. */
export const COLOURS = {
  cairn: ['#b5432a', '#ff8a66'],
  rapier: ['#1f6fb4', '#6db3f2'],
  havok: ['#1d8a5f', '#55c997'],
  physx: ['#8250b4', '#bf95ec'],
  box3d: ['#4a5560', '#b9c4ce'],
  jolt: ['#a06a00', '#e3b04b'],
  mujoco: ['#b8447e', '#f08ab8'],
  other: ['#6b7280', '#9aa3ad'],
};

/** { shape, fill } of an engine's variant. */
export function looksOf(engine) {
  const family = engine.split('-')[0];
  const shape = KNOWN[engine] ?? 'right';
  return { shape: SHAPES[shape], fill: `var(--${family in COLOURS ? family : 'other'})` };
}
