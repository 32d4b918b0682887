/**
 * The messenger's HTML as DOM nodes, built one by one from a list of allowed tags. The markup comes from a bot, and what a bot says can
 * come from anybody: nothing of it is ever given to innerHTML, and no attribute but a checked link address gets through.
 */

const sameTag = new Set([
  'b',
  'strong',
  'i',
  'em',
  'u',
  'ins',
  's',
  'strike',
  'del',
  'code',
  'pre',
  'blockquote',
]);
const blocks = new Set(['pre', 'blockquote']);
const linkProtocols = new Set(['http:', 'https:', 'mailto:', 'tg:']);

/** @param {string} html */
export function safeHtml(html) {
  // A document made by DOMParser runs no script and loads nothing; it is only read here.
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  return copyChildren(parsed.body);
}

/** Plain text, with its web addresses as links. @param {string} text */
export function safeText(text) {
  const fragment = document.createDocumentFragment();
  let at = 0;
  for (const found of text.matchAll(/https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]/g)) {
    fragment.append(text.slice(at, found.index), link(found[0], document.createTextNode(found[0])));
    at = found.index + found[0].length;
  }
  fragment.append(text.slice(at));
  return fragment;
}

/** @param {Node} from */
function copyChildren(from) {
  const fragment = document.createDocumentFragment();
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) fragment.append(textBesideBlocks(node));
    else if (node.nodeType === Node.ELEMENT_NODE) fragment.append(copyElement(/** @type {Element} */ (node)));
  }
  return fragment;
}

/** Line breaks next to a block would add empty lines to the block's own margin. @param {Node} node */
function textBesideBlocks(node) {
  const isBlock = (/** @type {Node | null} */ other) =>
    other instanceof Element && blocks.has(other.localName);
  let text = node.textContent ?? '';
  if (isBlock(node.previousSibling)) text = text.replace(/^\n+/, '');
  if (isBlock(node.nextSibling)) text = text.replace(/\n+$/, '');
  return text;
}

/** @param {Element} from */
function copyElement(from) {
  const name = from.localName;
  const children = copyChildren(from);
  if (name === 'a') return link(from.getAttribute('href') ?? '', children);
  if (name === 'tg-spoiler' || (name === 'span' && from.className === 'tg-spoiler')) return spoiler(children);
  if (!sameTag.has(name)) return children;
  const copy = document.createElement(name);
  copy.append(children);
  return copy;
}

/** @param {string} address @param {Node} content */
function link(address, content) {
  if (!URL.canParse(address) || !linkProtocols.has(new URL(address).protocol)) return content;
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.target = '_blank';
  anchor.rel = 'noopener noreferrer';
  anchor.append(content);
  return anchor;
}

/** @param {Node} content */
function spoiler(content) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'spoiler';
  button.title = 'Show';
  button.append(content);
  button.addEventListener('click', () => button.classList.add('shown'));
  return button;
}
