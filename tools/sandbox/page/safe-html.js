/**
 * Renders a bot's text as DOM nodes. The text is untrusted and is never parsed as HTML. The platform delivers plain
 * text and formatting entities. Only the kinds of entities below become elements, and a checked link address is their
 * only attribute.
 */

const tags = {
  bold: 'b',
  italic: 'i',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
  spoiler: 'button',
};
const literal = new Set(['code', 'pre']);
const blocks = new Set(['pre', 'blockquote']);
const linkProtocols = new Set(['http:', 'https:', 'mailto:', 'tg:', 'tel:']);

/**
 * A text as a tree of strings and `{ tag, href?, language?, children }`.
 * @param {string} text
 * @param {{type: string, offset: number, length: number, url?: string, language?: string}[]} entities
 */
function richTree(text, entities = []) {
  const sorted = [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  let next = 0;
  const read = (from, to, isLiteral) => {
    const nodes = [];
    let at = from;
    while (next < sorted.length && sorted[next].offset < to) {
      const entity = sorted[next];
      next += 1;
      const start = Math.max(entity.offset, at);
      const end = Math.min(entity.offset + entity.length, to);
      if (!(start < end)) continue;
      if (start > at) nodes.push(...plain(text.slice(at, start), isLiteral));
      const inside = isLiteral || literal.has(entity.type) || entity.type === 'text_link';
      nodes.push(...nodeOf(entity, read(start, end, inside)));
      at = end;
    }
    if (at < to) nodes.push(...plain(text.slice(at, to), isLiteral));
    return withoutDoubleBreaks(nodes);
  };
  return read(0, text.length, false);
}

/** @param {string} text @param {object[]} [entities] */
export function safeHtml(text, entities) {
  const fragment = document.createDocumentFragment();
  fragment.append(...richTree(text, entities).map(toNode));
  return fragment;
}

function nodeOf({ type, url, language }, children) {
  if (type === 'text_link') return isLinkable(url) ? [{ tag: 'a', href: url, children }] : children;
  if (!Object.hasOwn(tags, type)) return children;
  const name = /^[\w+#.-]{1,30}$/.test(language ?? '') ? { language } : {};
  return [{ tag: tags[type], ...name, children }];
}

/** Returns text with web addresses as links. */
function plain(text, isLiteral) {
  if (isLiteral) return [text];
  const nodes = [];
  let at = 0;
  for (const link of text.matchAll(/https?:\/\/[^\s<>"]*[^\s<>".,;:!?)']/g)) {
    if (!isLinkable(link[0])) continue;
    nodes.push(text.slice(at, link.index), { tag: 'a', href: link[0], children: [link[0]] });
    at = link.index + link[0].length;
  }
  return [...nodes, text.slice(at)].filter((node) => node !== '');
}

function isLinkable(address) {
  return URL.canParse(address) && linkProtocols.has(new URL(address).protocol);
}

/** Removes line breaks next to a block, which would add to the block's margin. */
function withoutDoubleBreaks(nodes) {
  const isBlock = (node) => typeof node === 'object' && blocks.has(node.tag);
  return nodes.map((node, index) => {
    if (typeof node !== 'string') return node;
    const tail = isBlock(nodes[index + 1]) ? node.replace(/\n+$/, '') : node;
    return isBlock(nodes[index - 1]) ? tail.replace(/^\n+/, '') : tail;
  });
}

function toNode(node) {
  if (typeof node === 'string') return document.createTextNode(node);
  const made = document.createElement(node.tag);
  made.append(...node.children.map(toNode));
  if (node.tag === 'a') dressLink(made, node.href);
  if (node.tag === 'button') dressSpoiler(made);
  if (node.language !== undefined) made.dataset.language = node.language;
  return made;
}

/** Shows the address of a link on hover, because its text may suggest another one. */
function dressLink(anchor, address) {
  anchor.href = address;
  anchor.title = address;
  anchor.target = '_blank';
  anchor.rel = 'noopener noreferrer';
}

function dressSpoiler(button) {
  button.type = 'button';
  button.className = 'spoiler';
  button.title = 'Show';
  button.addEventListener('click', () => button.classList.add('shown'));
}
