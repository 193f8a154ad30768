// What --help prints.

export const usage = `usage: cairn run SCENE.json [options]
       cairn replay FILE [options]
       cairn check SCENE.json
       cairn list materials|contact-materials|terrains|cables|beams|shapes|channels
       cairn decompose MESH [options]
       cairn copy-files DIR
       cairn --help | --version
`;

const run = `usage: cairn run SCENE.json [options]

Steps a scene and prints what was recorded as one JSON object.

  --time S          seconds to simulate (10)
  --steps N         steps to simulate, instead of --time
  --every S         seconds between samples (every step)
  --record CH,CH…   channels to record, instead of the scene's own; see cairn list channels
  --threads N       threads that share the work, the caller included
  --time-step S     seconds of one step, instead of the scene's own
  --solver KIND     auto, split, direct or iterative, instead of the scene's own
  --out FILE        write the result there instead of to standard output
  --save FILE       write a snapshot of the end there
  --recording FILE  write a recording there, for cairn replay
  --library DIR     folder of items to add to the library, built like materials/

Exit status: 0; 1 when a step failed; 2 for a bad file or bad arguments.
`;

const replay = `usage: cairn replay FILE [options]

Plays a recording again and compares every step with it. Names the first step, table, column and row that
differ.

  --threads N       threads that share the work, the caller included
  --library DIR     folder of items that were added to the library for the recording

Exit status: 0; 1 when a step differs; 2 for a bad file or bad arguments.
`;

const check = `usage: cairn check SCENE.json [options]

Loads a scene and prints a summary.

  --library DIR   folder of items to add to the library, built like materials/

Exit status: 0; 2 for a bad file.
`;

const list = `usage: cairn list materials|contact-materials|terrains|cables|beams|shapes|channels

Prints what there is.

  --library DIR   folder of items to add, built like materials/
`;

const decompose = `usage: cairn decompose MESH [options]

Cuts a mesh file (OBJ, STL, PLY, OFF, glTF, GLB) into convex pieces and prints them as JSON: how good they
are, and "shapes", which world.createGeometry() takes as they are.

  --max-hulls N          pieces at most, 1…1024 (32)
  --max-error M          m, how far a hull may reach out of the mesh (a fiftieth of its diagonal)
  --max-volume-ratio R   volume of all hulls over that of the mesh (1.1)
  --max-vertices N       of a hull, 4…4096 (256)
  --thickness M          m, of what is flat (a two-hundredth of the diagonal)
  --fill-holes PART      holes up to this part of the area around them are closed, 0…1 (0.05)
  --out FILE             write the result there instead of to standard output

Exit status: 0, also where maxHulls was too few ("withinBounds": false); 2 for a bad file or bad arguments.
`;

const copyFiles = `usage: cairn copy-files DIR

Copies the files that a page loads by their addresses (three .wasm files, and the script of the workers with
its module) to a folder, which is made where it is missing. Needed with bundlers that leave them out, as
esbuild and Rollup do: docs/bundlers.md.

Exit status: 0; 2 for bad arguments or a folder that cannot be written.
`;

/** @param {string | undefined} command */
export function helpFor(command) {
  return { run, replay, check, list, decompose, 'copy-files': copyFiles }[command ?? ''] ?? usage;
}
