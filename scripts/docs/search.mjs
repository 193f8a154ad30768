// The index that the pages search, made here so that a page only loads it.
import MiniSearch from 'minisearch';

/** Words, and the parts of names in camel case: `setVelocity` is found by "velocity", too. */
function splitWords(/** @type {string} */ text) {
  return text
    .split(/[^\p{L}\p{N}_]+/u)
    .flatMap((word) => [word, ...word.split(/(?<=[a-z])(?=[A-Z])|_/)])
    .filter((word) => word.length > 0);
}

const FIELDS = { fields: ['heading', 'page', 'text'], storeFields: ['heading', 'page', 'href', 'excerpt'] };
const EXCERPT = 140; // characters

/**
 * A script that sets `cairnSearch`: the index as text, and the options to load it with.
 * @param {{ page: string, href: string, heading: string, text: string }[]} sections
 */
export function makeSearchScript(sections) {
  const index = new MiniSearch({ ...FIELDS, tokenize: splitWords });
  index.addAll(sections.map((section, id) => ({ id, ...section, excerpt: excerptOf(section.text) })));
  const options = `{ ...${JSON.stringify(FIELDS)}, tokenize: ${splitWords} }`;
  return `var cairnSearch = { options: ${options}, index: ${JSON.stringify(JSON.stringify(index))} };\n`;
}

const excerptOf = (/** @type {string} */ text) => {
  const plain = text.trim();
  return plain.length <= EXCERPT ? plain : `${plain.slice(0, EXCERPT).replace(/\s+\S*$/, '')} …`;
};
