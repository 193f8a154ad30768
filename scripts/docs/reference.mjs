// The API reference: every name that the package exports, from its declarations (web/types).
//
// ts-morph reads them: it carries a TypeScript of its own with the compiler's interface, which TypeScript 7,
// that checks this checkout, has not got.
import fs from 'node:fs';
import path from 'node:path';
import { Node, Project, ts } from 'ts-morph';
import { ROOT } from '../process.mjs';
import { escapeHtml } from '../html.mjs';

const TYPES = path.join(ROOT, 'web', 'types');

/**
 * Declarations of what users import, in Node where they differ, and the name that they import it by.
 * @returns {[file: string, module: string][]}
 */
export function listEntries() {
  const { name, exports } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  return Object.entries(exports).flatMap(([key, target]) => {
    const types = target.node?.types ?? target.types;
    return types === undefined ? [] : [[path.join(ROOT, types), `${name}${key.slice(1)}`]];
  });
}

/** Types that have pages of their own: one is very long, one is what there is to read every frame. */
const OWN_PAGES = new Map([
  ['RawExports', 'raw'],
  ['Columns', 'columns'],
]);

/**
 * Something exported, where it is described, and what may be named of it.
 *
 * @typedef {object} Entry
 * @property {string} name
 * @property {string} module
 * @property {'class' | 'function' | 'constant' | 'type'} kind
 * @property {Node} node its declaration
 * @property {string} href from the folder of the reference
 */

/** @typedef {import('./pages.mjs').Page} Page */

/**
 * The pages of the reference, in Markdown.
 * @returns {{ pages: Page[], links: Map<string, string>, names: string[] }} `links`: addresses within the
 *   folder `api/` by name; `names`: all exported ones
 */
export function describeApi() {
  const entries = readEntries();
  const links = new Map(entries.map(({ name, href }) => [name, href]));
  const of = (/** @type {Entry['kind'][]} */ ...kinds) => entries.filter(({ kind }) => kinds.includes(kind));
  const classes = of('class').map((entry) => page(fileOf(entry), entry.name, describeClass(entry)));
  const types = of('type').filter(({ name }) => !OWN_PAGES.has(name));
  const long = of('type').filter(({ name }) => OWN_PAGES.has(name));
  const pages = [
    page('index.html', 'API reference', describeIndex(entries), { label: 'Everything exported' }),
    page('functions.html', 'Functions and constants', of('function', 'constant').map(describeValue).join('')),
    ...classes,
    page('types.html', 'Types', types.map(describeType).join('')),
    ...long.map((entry) =>
      page(fileOf(entry), entry.name, describeType(entry), { searched: entry.name !== 'RawExports' }),
    ),
  ];
  return { pages, links, names: entries.map(({ name }) => name) };
}

/** @returns {Page} */
function page(file, title, text, more = {}) {
  const body = text.startsWith('# ') ? text : `# ${title}\n\n${text}`;
  return {
    file: `api/${file}`,
    source: null,
    title,
    label: title,
    section: 'API',
    text: body,
    anchors: 'name',
    ...more,
  };
}

const fileOf = ({ kind, name }) =>
  kind === 'class' ? `${name.toLowerCase()}.html` : `${OWN_PAGES.get(name) ?? 'types'}.html`;

// ---- what there is ----------------------------------------------------------------------------------------

/** @returns {Entry[]} */
function readEntries() {
  const project = new Project({
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'],
      types: [],
      skipLibCheck: true,
    },
    skipAddingFilesFromTsConfig: true,
  });
  /** @type {Map<string, Entry>} */
  const found = new Map();
  for (const [file, module] of listEntries()) {
    const source = project.addSourceFileAtPath(file);
    for (const [name, declarations] of source.getExportedDeclarations()) {
      // the glue is what the build makes, and three.js re-exports what the first entry has
      if (name !== 'Glue' && !found.has(name)) {
        const [declaration] = declarations;
        const end = follow(declaration);
        // a class under another name stays an alias
        const isAlias = Node.isClassDeclaration(end) && end.getName() !== name;
        addEntry(found, name, module, isAlias ? declaration : end);
      }
    }
  }
  // types that their descriptions name, and theirs
  const aliases = findAliases(project);
  for (const entry of found.values()) {
    for (const [name] of describe(entry).matchAll(/\b[A-Z]\w+/g)) {
      const alias = aliases.get(name);
      if (!found.has(name) && alias && !Node.isClassDeclaration(follow(alias))) {
        addEntry(found, name, entry.module, follow(alias));
      }
    }
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** All types of the package by name, exported or not. @param {Project} project */
function findAliases(project) {
  project.resolveSourceFileDependencies();
  const own = project.getSourceFiles().filter((source) => source.getFilePath().startsWith(TYPES));
  return new Map(own.flatMap((source) => source.getTypeAliases().map((alias) => [alias.getName(), alias])));
}

/** @param {Map<string, Entry>} found @param {string} name @param {string} module @param {Node} node */
function addEntry(found, name, module, node) {
  const kind = Node.isClassDeclaration(node)
    ? 'class'
    : Node.isFunctionDeclaration(node)
      ? 'function'
      : Node.isVariableDeclaration(node)
        ? 'constant'
        : 'type';
  const place = { name, kind };
  const href =
    kind === 'class'
      ? fileOf(place)
      : kind === 'type'
        ? `${fileOf(place)}#${name}`
        : `functions.html#${name}`;
  found.set(name, { name, module, kind, node, href });
}

/** The declaration at the end of `type A = import('b').A`. @param {Node} node @returns {Node} */
function follow(node) {
  if (!Node.isTypeAliasDeclaration(node)) return node;
  const typeNode = node.getTypeNode();
  if (!Node.isImportTypeNode(typeNode) || typeNode.getTypeArguments().length > 0) return node;
  const symbol = typeNode.getQualifier()?.getSymbol();
  const next = (symbol?.getAliasedSymbol() ?? symbol)?.getDeclarations()[0];
  return next && next !== node ? follow(next) : node;
}

// ---- how it is described ----------------------------------------------------------------------------------

/** Types as users write them. @param {string} text */
const plain = (text) =>
  text
    .replace(/import\("[^"]*"\)\.|import\('[^']*'\)\./g, '')
    .replace(/ & import\('three'\)/g, '')
    .replace(/\n\s*/g, ' ');

const cell = (/** @type {string} */ text) => text.replace(/\s+/g, ' ').replace(/\|/g, '\\|').trim();

/** @param {Node} node @returns {import('ts-morph').JSDoc | undefined} */
function docOf(node) {
  const owner = Node.isVariableDeclaration(node) ? node.getVariableStatement() : node;
  return Node.isJSDocable(owner) ? owner.getJsDocs().at(-1) : undefined;
}

/** What stands before the tags, and text after tags that say nothing else. @param {Node} node */
function description(node) {
  const doc = docOf(node);
  return (doc?.getDescription() ?? '').replace(/\{@link (\w+)\}/g, '`$1`').trim();
}

const isInternal = (/** @type {Node} */ node) =>
  docOf(node)
    ?.getTags()
    .some((tag) => ['internal', 'private'].includes(tag.getTagName())) === true;

/** @param {Entry} entry */
function describe(entry) {
  if (entry.kind === 'class') return describeClass(entry);
  return entry.kind === 'type' ? describeType(entry) : describeValue(entry);
}

/** @param {Entry[]} entries */
function describeIndex(entries) {
  const rows = (/** @type {Entry[]} */ list) =>
    list
      .map(
        ({ name, href, node }) => `| [\`${name}\`](${href}) | ${cell(firstSentence(summary(name, node)))} |`,
      )
      .join('\n');
  const table = (title, list) =>
    list.length > 0 ? `## ${title}\n\n| name | |\n| --- | --- |\n${rows(list)}\n\n` : '';
  const titles = { class: 'Classes', function: 'Functions', constant: 'Constants', type: 'Types' };
  return listEntries()
    .map(([, module]) =>
      Object.entries(titles)
        .map(([kind, title]) =>
          table(
            `${title} of ${module}`,
            entries.filter((entry) => entry.module === module && entry.kind === kind),
          ),
        )
        .join(''),
    )
    .join('');
}

const firstSentence = (/** @type {string} */ text) => /^[\s\S]*?[.:](?=\s|$)/.exec(text)?.[0] ?? text;

/**
 * What is said of a name; of a type, in the comment that defines it.
 * @param {string} name @param {Node} node
 */
function summary(name, node) {
  const own = description(node);
  if (own !== '' || !Node.isTypeAliasDeclaration(node)) return own;
  return definitionsIn(node.getSourceFile()).get(node.getName()) ?? '';
}

/** Texts of the comments that define types, by name. */
const definitions = new WeakMap();

/** @param {import('ts-morph').SourceFile} source @returns {Map<string, string>} */
function definitionsIn(source) {
  const known = definitions.get(source);
  if (known) return known;
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const [comment] of source.getFullText().matchAll(/\/\*\*[\s\S]*?\*\//g)) {
    const text = comment.slice(3, -2).replace(/^\s*\* ?/gm, '');
    const [before, ...rest] = text.split(/@(?:typedef|callback)\s/);
    rest.forEach((definition, i) => {
      const match = /^(?:\{[\s\S]*?\}\s+)?(\w+)([^@]*)/.exec(definition);
      if (match) found.set(match[1], (i === 0 && before.trim()) || match[2].trim());
    });
  }
  definitions.set(source, found);
  return found;
}

/** @param {Entry} entry */
function describeClass({ name, module, node }) {
  const declaration = /** @type {import('ts-morph').ClassDeclaration} */ (node);
  const members = membersOf(declaration);
  const constructors = declaration.getConstructors().filter((one) => !isInternal(one) && !takesKey(one));
  const how = constructors.map((one) => describeCallable(`new ${name}`, 'constructor', one)).join('');
  const base = declaration.getBaseClass();
  const inherits = base && !isOurs(base) ? `Extends \`${base.getName()}\` of three.js.\n\n` : '';
  const importLine = `\`\`\`ts\nimport { ${name} } from '${module}';\n\`\`\`\n\n`;
  return `${description(node)}\n\n${importLine}${inherits}${how}${members.map(describeMember).join('')}`;
}

const isOurs = (/** @type {Node | undefined} */ node) =>
  node?.getSourceFile().getFilePath().startsWith(TYPES) === true;

/** Classes that only the engine makes objects of are given a key. */
const takesKey = (constructor) => constructor.getParameters()[0]?.getName() === 'key';

/** Public members by name, inherited ones too. @param {import('ts-morph').ClassDeclaration} declaration */
function membersOf(declaration) {
  /** @type {Map<string, Node[]>} */
  const members = new Map();
  for (let owner = declaration; isOurs(owner); owner = owner.getBaseClass()) {
    // what all classes have as statics is between the package's own modules
    const statics = owner === declaration ? owner.getStaticMembers() : [];
    for (const member of [...owner.getInstanceMembers(), ...statics]) {
      const name = member.getName();
      if (name.startsWith('#') || isInternal(member) || Node.isParameterDeclaration(member)) continue;
      if (member.hasModifier(ts.SyntaxKind.ProtectedKeyword)) continue;
      const overridden = members.get(name)?.some((other) => other.getParent() !== owner);
      if (!overridden) members.set(name, [...(members.get(name) ?? []), member]);
    }
  }
  return [...members]
    .map(([name, nodes]) => ({ name, nodes, owner: declaration }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** @param {{ name: string, nodes: Node[] }} member */
function describeMember({ name, nodes }) {
  const [first] = nodes;
  if (Node.isMethodDeclaration(first)) return describeCallable(name, name, first);
  const getter = nodes.find(Node.isGetAccessorDeclaration);
  const setter = nodes.find(Node.isSetAccessorDeclaration);
  const isReadOnly = getter ? !setter : isTagged(first, 'readonly');
  const typeNode = getter?.getReturnTypeNode() ?? (Node.isTyped(first) ? first.getTypeNode() : undefined);
  const type = plain(typeNode?.getText() ?? first.getType().getText(first));
  const text = [getter, setter, first]
    .filter((node) => node !== undefined)
    .map((node) => description(node) || typeComment(node))
    .find((found) => found !== '');
  const declared = `${isReadOnly ? 'readonly ' : ''}${name}: ${type}`;
  return `## ${name}\n\n\`\`\`ts\n${declared}\n\`\`\`\n\n${text ?? ''}\n\n`;
}

const isTagged = (/** @type {Node} */ node, /** @type {string} */ tag) =>
  docOf(node)
    ?.getTags()
    .some((one) => one.getTagName() === tag) === true;

/** `@type {X} text`. @param {Node} node */
function typeComment(node) {
  const tag = docOf(node)
    ?.getTags()
    .find((one) => ['type', 'returns'].includes(one.getTagName()));
  return (tag?.getCommentText() ?? '').trim();
}

/**
 * A function or method: signature, text, parameters, result.
 * @param {string} call as it is called @param {string} anchor @param {Node} node
 */
function describeCallable(call, anchor, node) {
  const callable = /** @type {import('ts-morph').MethodDeclaration} */ (node);
  const parameters = callable
    .getParameters()
    .map((one) => plain(one.getText()))
    .join(', ');
  const generics = (callable.getTypeParameters?.() ?? []).map((one) => plain(one.getText())).join(', ');
  const result = plain(callable.getReturnTypeNode?.()?.getText() ?? '');
  const statics = callable.isStatic?.() ? 'static ' : '';
  const head = `${statics}${call}${generics && `<${generics}>`}`;
  const signature = `${head}(${parameters})${result && `: ${result}`}`;
  const tags = docOf(node)?.getTags() ?? [];
  const rows = tags
    .filter(Node.isJSDocParameterTag)
    .map((tag) => [tag.getName(), (tag.getCommentText() ?? '').trim()])
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `| \`${name}\` | ${cell(text)} |`);
  const returns = tags
    .find((tag) => tag.getTagName() === 'returns')
    ?.getCommentText()
    ?.trim();
  return [
    `## ${anchor}\n\n\`\`\`ts\n${signature}\n\`\`\`\n\n${description(node)}\n\n`,
    rows.length > 0 ? `| argument | |\n| --- | --- |\n${rows.join('\n')}\n\n` : '',
    returns ? `Returns ${returns}\n\n` : '',
  ].join('');
}

/** @param {Entry} entry */
function describeValue({ name, node, module }) {
  const from = module === 'cairn-physics' ? '' : `From \`${module}\`. `;
  if (Node.isFunctionDeclaration(node)) return `${describeCallable(name, name, node)}${from}\n\n`;
  const type = plain(node.getType().getText(node, ts.TypeFormatFlags.NoTruncation));
  const text = `${from}${description(node)}`;
  const properties = node.getType().getProperties();
  const table = properties.length > 0 && properties.length < 60 && type.startsWith('Readonly<');
  const code = `\`\`\`ts\nconst ${name}: ${type}\n\`\`\``;
  return `## ${name}\n\n${table ? propertyTable(properties, node) : code}\n\n${text}\n\n`;
}

/** @param {Entry} entry */
function describeType({ name, node, module }) {
  const alias = /** @type {import('ts-morph').TypeAliasDeclaration} */ (node);
  const from = module === 'cairn-physics' ? '' : `From \`${module}\`. `;
  const heading = `## ${name}\n\n${from}${summary(name, node)}\n\n`;
  const typeNode = Node.isTypeAliasDeclaration(node) ? alias.getTypeNode() : undefined;
  const type = alias.getType();
  const isRecord =
    type.getProperties().length > 0 &&
    !type.isUnion() &&
    !type.isArray() &&
    type.getCallSignatures().length === 0 &&
    (Node.isTypeLiteral(typeNode) || Node.isIntersectionTypeNode(typeNode) || Node.isTypeReference(typeNode));
  if (!isRecord) {
    const text = plain(typeNode?.getText() ?? node.getText());
    const generics = alias
      .getTypeParameters()
      .map((one) => plain(one.getText()))
      .join(', ');
    return `${heading}\`\`\`ts\ntype ${name}${generics && `<${generics}>`} = ${text}\n\`\`\`\n\n`;
  }
  return `${heading}${propertyTable(type.getProperties(), node)}\n\n`;
}

/** @param {import('ts-morph').Symbol[]} properties @param {Node} node where they are looked at from */
function propertyTable(properties, node) {
  const rows = properties.map((property) => {
    const [declaration] = property.getDeclarations();
    const typeNode = declaration && Node.isTyped(declaration) ? declaration.getTypeNode() : undefined;
    const type = plain(typeNode?.getText() ?? property.getTypeAtLocation(node).getText(node));
    const optional = property.isOptional() ? '?' : '';
    const text = declaration ? description(declaration) : '';
    return `| \`${property.getName()}${optional}\` | ${typeCell(type)} | ${cell(text)} |`;
  });
  return `| property | type | |\n| --- | --- | --- |\n${rows.join('\n')}`;
}

/** In a table a bar is an entity, since it ends a cell even within code. @param {string} type */
const typeCell = (type) => `<code class="type">${escapeHtml(type).replace(/\|/g, '&#124;')}</code>`;
