// The examples of demo/examples/ as pages: what they show, a live picture, their code.
import fs from 'node:fs';
import path from 'node:path';
import { examples } from '../../demo/examples/examples.js';
import { ROOT } from '../process.mjs';

/** @typedef {import('./pages.mjs').Page} Page */

/** @returns {Page[]} */
export function describeExamples() {
  const rows = examples.map(({ name, title, text }) => `| [${title}](${name}.html) | ${text} |`);
  const overview = `# Examples

Each is at most thirty lines that run as they stand, in a page and in Node: \`create(cairn)\` makes a world,
given what \`await load()\` resolves to. Its law is a test (\`tests/node/examples.test.mjs\`).

| example | |
| --- | --- |
${rows.join('\n')}
`;
  return [
    makePage('index', 'All examples', overview),
    ...examples.map(({ name, title, text, law }) => {
      const code = fs.readFileSync(path.join(ROOT, 'demo', 'examples', `${name}.js`), 'utf8');
      const shown = `\`\`\`js\n${code.trim()}\n\`\`\``;
      const body = `# ${title}\n\n${text}\n\n${shown}\n\nWhat the test holds: ${law}\n`;
      return { ...makePage(name, title, body), before: makeStage(name) };
    }),
  ];
}

/** @returns {Page} */
function makePage(name, title, text) {
  return { file: `examples/${name}.html`, source: null, title, label: title, section: 'Examples', text };
}

/** Where the example runs; what stands in it is for pages that cannot load modules. @param {string} name */
function makeStage(name) {
  return `<figure class="live" data-example="${name}">
<canvas tabindex="0" aria-label="The example, running. Drag to turn the camera."></canvas>
<figcaption><span class="state">The live picture needs a web server (<code>npm start</code>) and WebGL.</span>
<span class="controls"></span></figcaption>
</figure>`;
}
