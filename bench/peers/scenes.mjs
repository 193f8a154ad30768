// The chains of the comparison, and our own measure of what an engine made of them: from poses alone,
// the same for all.

/** m: of a link from one ball joint to the next. */
export const LINK_LENGTH = 0.4;
/** kg. */
export const LINK_MASS = 10;
/** kg m², about the link's x (along it), y and z: a solid cylinder of 5 cm radius. */
export const LINK_INERTIA = [0.0125, 0.1396, 0.1396];
/** s. */
export const TIME_STEP = 1 / 60;
/** m/s², z up. */
export const GRAVITY = [0, 0, -9.81];

/** What is let go, by name: the angle of the straight chain below the horizontal, in degrees. */
export const SCENES = { 'let go from the horizontal': 0, 'hanging, 3° off the vertical': 87 };

/**
 * A straight chain of `count` links at rest, held at the origin by a ball joint, a ball joint between each
 * two links. `rotation` (x, y, z, w) is that of every link and takes its x to the way down the chain;
 * `weight` (kg) is what the last link has more.
 */
export function createChain(count, degrees, weight) {
  const angle = (degrees * Math.PI) / 180;
  const along = [Math.cos(angle), 0, -Math.sin(angle)];
  return {
    count,
    along,
    rotation: [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)],
    mass: (index) => LINK_MASS + (index === count - 1 ? weight : 0),
    centre: (index) => along.map((component) => component * LINK_LENGTH * (index + 0.5)),
    anchor: (index) => along.map((component) => component * LINK_LENGTH * index),
  };
}

/** Watches a chain: poses go in, seven numbers a link (position, rotation x, y, z, w). */
export class Watch {
  constructor(chain) {
    this.chain = chain;
    this.poses = new Float64Array(7 * chain.count);
    /** m: the largest distance of a joint's two anchors so far. */
    this.worstGap = 0;
    /** All gaps together, of the chain's length, at their worst so far. */
    this.stretch = 0;
    this.startHeight = 0;
    for (let i = 0; i < chain.count; ++i)
      this.startHeight += (chain.mass(i) * chain.centre(i)[2]) / this.#mass();
  }

  #mass() {
    return LINK_MASS * this.chain.count + this.chain.mass(this.chain.count - 1) - LINK_MASS;
  }

  /** Measures `poses`; returns what cannot be so where a chain at rest is let go, or undefined. */
  look() {
    const { poses, chain } = this;
    const half = LINK_LENGTH / 2;
    let end = [0, 0, 0];
    let sum = 0;
    let height = 0;
    for (let i = 0; i < chain.count; ++i) {
      const [px, py, pz, x, y, z, w] = poses.subarray(7 * i, 7 * i + 7);
      // half a link, turned
      const hx = half * (1 - 2 * (y * y + z * z));
      const hy = half * 2 * (x * y + w * z);
      const hz = half * 2 * (x * z - w * y);
      const gap = Math.hypot(px - hx - end[0], py - hy - end[1], pz - hz - end[2]);
      if (!Number.isFinite(gap)) return 'poses are not finite';
      this.worstGap = Math.max(this.worstGap, gap);
      sum += gap;
      height += (chain.mass(i) * pz) / this.#mass();
      end = [px + hx, py + hy, pz + hz];
    }
    const length = chain.count * LINK_LENGTH;
    this.stretch = Math.max(this.stretch, sum / length);
    if (this.worstGap > LINK_LENGTH) return 'a joint is open by more than a link';
    // energy: the centre of mass cannot rise above where it was at rest
    return height - this.startHeight > 0.01 * length ? 'rises above where it was let go' : undefined;
  }
}
