// The last step of a WebAssembly build: node finish_module.mjs BUILD_FOLDER DIST_FOLDER FLAVOUR
//
// Takes the two links of one flavour (for the web, for Node), checks that their .wasm files are the same, and puts one
// .wasm and both glue modules into the distribution folder. The glue is changed in two places only.
import fs from "node:fs";
import path from "node:path";

const [buildFolder, distFolder, flavour] = process.argv.slice(2);
const environments = ["web", "node"];
const wasmName = `cairn.${flavour}.wasm`;

const built = (environment, suffix) => path.join(buildFolder, `cairn.${flavour}.${environment}.${suffix}`);

function fail(message) {
  console.error(`finish_module: ${message}`);
  process.exit(1);
}

function finishGlue(environment) {
  const file = built(environment, "mjs");
  let text = fs.readFileSync(file, "utf8");

  // both glue modules load the one .wasm
  const ownName = `cairn.${flavour}.${environment}.wasm`;
  if (!text.includes(ownName)) fail(`${file} does not name ${ownName}`);
  text = text.replaceAll(ownName, wasmName);

  // A bundler finds a worker only by the pattern new Worker(new URL("name", import.meta.url), {literal options}), while
  // Emscripten 3.1.69 keeps the options in a variable. Later releases may write the literal by themselves.
  if (flavour === "mt") {
    const literal = /new Worker\(new URL\("[^"]+",\s*import\.meta\.url\),\s*\{/;
    const options = /var workerOptions\s*=\s*(\{[^{}]*\})/.exec(text)?.[1];
    if (options) {
      text = text.replace(
        /(new Worker\(new URL\("[^"]+",\s*import\.meta\.url\),\s*)workerOptions\)/,
        (_, head) => `${head}${options})`,
      );
    }
    if (!literal.test(text)) fail(`${file} creates its workers in a way that bundlers cannot follow`);
  }
  return text;
}

const wasm = environments.map((environment) => fs.readFileSync(built(environment, "wasm")));
if (!wasm[0].equals(wasm[1])) fail(`the two links of ${flavour} differ: ${environments.join(" and ")} need one .wasm`);
const glue = environments.map(finishGlue);

fs.mkdirSync(distFolder, { recursive: true });
fs.writeFileSync(path.join(distFolder, wasmName), wasm[0]);
environments.forEach((environment, i) => {
  fs.writeFileSync(path.join(distFolder, `cairn.${flavour}.${environment}.mjs`), glue[i]);
});
