// What is drawn beside what is simulated: the beam that the heavy chain hangs from.

import { BoxGeometry, CylinderGeometry, Group, Mesh, MeshStandardMaterial } from 'three';

/** @type {Record<'hook', () => Group>} */
const PROPS = {
  hook: () => {
    const steel = new MeshStandardMaterial({ color: 0x87919b, roughness: 0.55, metalness: 0.2 });
    const beam = new Mesh(new BoxGeometry(3.6, 1, 0.5), steel);
    beam.position.z = 1.05;
    const shackle = new Mesh(new CylinderGeometry(0.14, 0.22, 0.85, 24), steel);
    shackle.rotation.x = Math.PI / 2;
    shackle.position.z = 0.4;
    return new Group().add(beam, shackle);
  },
};

/** @param {keyof typeof PROPS} name */
export function makeProp(name) {
  return PROPS[name]();
}

/** @param {Group} prop */
export function disposeProp(prop) {
  prop.removeFromParent();
  prop.traverse((item) => {
    if (!(item instanceof Mesh)) return;
    item.geometry.dispose();
    item.material.dispose();
  });
}
