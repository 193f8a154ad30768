// Makes the models of the examples: node demo/examples/make_models.mjs
//
// glTF-Transform writes the file: it is the format's own tool, and knows its alignment and its bounds.
import { writeFileSync } from 'node:fs';
import { Document, NodeIO } from '@gltf-transform/core';
import { TorusKnotGeometry } from 'three';
import { mergeVertices } from 'three/addons/utils/BufferGeometryUtils.js';

/** A closed mesh: seams of a three.js geometry are two rows of vertices, which become one here. */
function closeSeams(geometry) {
  geometry.deleteAttribute('normal');
  geometry.deleteAttribute('uv');
  return mergeVertices(geometry, 1e-5);
}

async function writeModel(name, geometry) {
  const document = new Document();
  const buffer = document.createBuffer();
  const accessor = (array, type) => document.createAccessor().setArray(array).setType(type).setBuffer(buffer);
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', accessor(geometry.getAttribute('position').array, 'VEC3'))
    .setIndices(accessor(new Uint16Array(geometry.getIndex().array), 'SCALAR'));
  const mesh = document.createMesh(name).addPrimitive(primitive);
  document.createScene(name).addChild(document.createNode(name).setMesh(mesh));
  writeFileSync(new URL(`./${name}.glb`, import.meta.url), await new NodeIO().writeBinary(document));
}

await writeModel('knot', closeSeams(new TorusKnotGeometry(0.5, 0.16, 96, 12)));
