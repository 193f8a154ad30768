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
  const strike = (event) => {
    impacts.push(event);
    const { mass } = event.body1 ?? event.body2;
    if (audio) play(900 / Math.cbrt(mass), Math.min(event.impulse / 1000, 0.5));
  };
  world.on('impact', strike, { minSpeed: 0.3 }); // m/s; slower is not heard
  const text = () => `${impacts.length} impacts`;
  return { world, balls, impacts, text, actions: { 'Sound on': () => (audio = new AudioContext()) } };
}
