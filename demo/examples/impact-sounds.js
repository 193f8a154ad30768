// Every impact as a sound: louder the larger its impulse, higher the lighter the body.
export function create(cairn) {
  const world = cairn.createWorld();
  world.createGeometry({ shape: { type: 'plane', normal: [0, 0, 1] }, restitution: 0.6 });
  const balls = [0.15, 0.25, 0.4].map((radius, i) => {
    const shape = { type: 'sphere', radius };
    return world.createBody({ position: [i - 1, 0, 2 + i], geometries: [{ shape, restitution: 0.6 }] });
  });
  const impacts = [];
  let audio = null; // pages may make sounds only after a click
  const play = (frequency, volume) => {
    const [tone, gain] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = frequency;
    gain.gain.setValueAtTime(volume, audio.currentTime);
    gain.gain.exponentialRampToValueAtTime(1e-4, audio.currentTime + 0.3);
    tone.connect(gain).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.3);
  };
  const afterStep = () => {
    const { rows, state, body1, body2, speed, impulse } = world.columns.contactEvents;
    for (let row = 0; row < rows; ++row) {
      if (state[row] !== 1 || speed[row] < 0.3) continue; // what ends, and what only settles
      const body = world.bodyAt(body1[row]) ?? world.bodyAt(body2[row]);
      impacts.push({ body, speed: speed[row], impulse: impulse[row] });
      if (audio) play(900 / Math.cbrt(body.mass), Math.min(impulse[row] / 1000, 0.5));
    }
  };
  const advance = (seconds) => world.advance(seconds, { afterStep });
  return {
    world,
    balls,
    impacts,
    afterStep,
    advance,
    actions: { 'Sound on': () => (audio = new AudioContext()) },
  };
}
