// Markdown to HTML: anchors, code that is highlighted here and not in the browser, links from file to page.
import GithubSlugger from 'github-slugger';
import hljs from 'highlight.js/lib/common';
import MarkdownIt from 'markdown-it';
import anchor from 'markdown-it-anchor';

/**
 * A heading of a page.
 * @typedef {{ level: number, id: string, text: string }} Heading
 */

/** A section of a page, for the search. @typedef {{ id: string, heading: string, text: string }} Section */

const escape = MarkdownIt().utils.escapeHtml;

/** @param {string} code @param {string} language */
function highlight(code, language) {
  if (!hljs.getLanguage(language)) return escape(code);
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}

/** GitHub's anchors, or the first word of a heading as it is written. */
function makeSlugger(kind) {
  const slugger = new GithubSlugger();
  if (kind === 'github') return (text) => slugger.slug(text);
  return (text) => text.trim().split(/\s+/, 1)[0];
}

/**
 * @param {string} text Markdown
 * @param {object} options
 * @param {'github' | 'name'} [options.anchors] how headings become anchors
 * @param {(href: string) => string} options.link the address on the site of what the text links to
 * @param {ReadonlyMap<string, string>} [options.links] addresses of names, which are linked where highlighted
 *   TypeScript has them
 * @returns {{ html: string, headings: Heading[], sections: Section[] }}
 */
export function renderMarkdown(text, { anchors = 'github', link, links = new Map() }) {
  const markdown = new MarkdownIt({ html: true, highlight });
  /** @type {Heading[]} */
  const headings = [];
  markdown.use(anchor, {
    slugify: makeSlugger(anchors),
    tabIndex: false,
    permalink: anchor.permalink.linkInsideHeader({
      symbol: '#',
      placement: 'after',
      ariaHidden: true,
      class: 'anchor',
      renderAttrs: () => ({ tabindex: '-1' }),
    }),
    callback: (token, { title, slug }) =>
      headings.push({ level: Number(token.tag.slice(1)), id: slug, text: title }),
  });

  const { rules } = markdown.renderer;
  const fence = /** @type {import('markdown-it').RenderRule} */ (rules.fence);
  rules.fence = (tokens, index, options, environment, self) => {
    const html = fence(tokens, index, options, environment, self);
    const linked = tokens[index].info.startsWith('ts') ? linkNames(html, links) : html;
    return `<div class="code">${linked.replace('<pre>', '<pre tabindex="0">')}</div>\n`;
  };
  rules.code_block = (tokens, index) =>
    `<div class="code"><pre tabindex="0"><code>${escape(tokens[index].content)}</code></pre></div>\n`;
  rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
  rules.table_close = () => '</table></div>\n';
  // a column without a name has no header
  const isEmpty = (tokens, inline) => tokens[inline].content === '';
  rules.th_open = (tokens, index, options, environment, self) =>
    isEmpty(tokens, index + 1) ? '<td>' : `<th scope="col"${self.renderAttrs(tokens[index])}>`;
  rules.th_close = (tokens, index) => (isEmpty(tokens, index - 1) ? '</td>' : '</th>');
  rules.html_block = (tokens, index) => tokens[index].content.replace(/<!--[\s\S]*?-->\s*/g, '');
  // a file that is named is a link to it
  rules.code_inline = (tokens, index) => {
    const code = `<code>${escape(tokens[index].content)}</code>`;
    const named = /^(?:docs\/[\w-]+\.md|demo\/examples\/[\w-]+\.js)$/.exec(tokens[index].content);
    const isLinked = tokens.slice(0, index).some((token) => token.type === 'link_open');
    return named && !isLinked ? `<a href="${escape(link(`/${named[0]}`))}">${code}</a>` : code;
  };
  markdown.core.ruler.push('links', (state) => {
    for (const token of state.tokens.flatMap((block) => [block, ...(block.children ?? [])])) {
      const name = token.type === 'link_open' ? 'href' : token.type === 'image' ? 'src' : null;
      const given = name && token.attrGet(name);
      if (name && given && token.attrGet('class') !== 'anchor') token.attrSet(name, link(given));
    }
  });

  const tokens = markdown.parse(text, {});
  const rendered = markdown.renderer.render(tokens, markdown.options, {});
  const html = rendered.replace(/<code class="type">.*?<\/code>/g, (code) => linkNames(code, links));
  return { html, headings, sections: toSections(tokens, headings) };
}

/** Text under each heading. @returns {Section[]} */
function toSections(tokens, headings) {
  /** @type {Section[]} */
  const sections = [];
  let next = 0;
  tokens.forEach((token, i) => {
    if (token.type === 'heading_open') {
      const { id, text } = headings[next++];
      sections.push({ id, heading: text, text: '' });
    } else if (token.type === 'inline' && tokens[i - 1].type !== 'heading_open') {
      const words = token.children.filter(({ type }) => type === 'text' || type === 'code_inline');
      append(sections, words.map(({ content }) => content).join(' '));
    } else if (token.type === 'fence' || token.type === 'code_block') {
      append(sections, token.content);
    }
  });
  return sections;
}

/** @param {Section[]} sections @param {string} text */
function append(sections, text) {
  const last = sections.at(-1);
  if (last) last.text += ` ${text.replace(/\s+/g, ' ').trim()}`;
}

/** Names of types in highlighted code become links. */
function linkNames(html, links) {
  return html
    .split(/(<[^>]*>)/)
    .map((part) =>
      part.startsWith('<')
        ? part
        : part.replace(/\b[A-Z]\w+\b/g, (name) =>
            links.has(name) ? `<a href="${links.get(name)}">${name}</a>` : name,
          ),
    )
    .join('');
}
