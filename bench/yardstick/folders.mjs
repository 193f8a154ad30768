// Where the builds are that no package has: Cairn's and Box3D's.
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const addressOf = (folder) => pathToFileURL(`${resolve(folder)}/`);

/** Addresses of this checkout, or the one that CAIRN_DIR names, and of the Box3D build of BOX3D_DIR. */
export function buildFolders() {
  return {
    cairn: addressOf(process.env.CAIRN_DIR ?? here('../../')),
    box3d: addressOf(process.env.BOX3D_DIR ?? here('box3d/out/')),
  };
}
