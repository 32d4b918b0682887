import { element } from './dom.js';

const maxDepth = 6;
const allowed = /^(https?|mailto|tel):/i;

/**
 * The elements of a text in Markdown. Only elements that are listed here come out of it, and only links to the web, mail
 * and telephones: HTML, pictures and addresses of other kinds stay text.
 */
export function renderMarkdown(text) {
  return renderBlocks(text.replaceAll('\r\n', '\n').split('\n'), 0);
}

const fence = /^\s{0,3}(```+|~~~+)\s*([\w+#.-]*)/;
const heading = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const bullet = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const rule = /^\s{0,3}([-*_])(\s*\1){2,}\s*$/;
const quote = /^\s{0,3}>\s?(.*)$/;
const tableRule = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$/;

function renderBlocks(lines, depth) {
  const blocks = [];
  let at = 0;
  const take = (isPart) => {
    const from = at;
    while (at < lines.length && isPart(lines[at], at - from)) at += 1;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    const opened = fence.exec(line);
    if (line.trim() === '') at += 1;
    else if (opened) {
      at += 1;
      const code = take((next) => !next.trim().startsWith(opened[1]));
      at += 1;
      blocks.push(element('pre', { tabindex: '0' }, element('code', {}, code.join('\n'))));
    } else if (rule.test(line)) {
      at += 1;
      blocks.push(element('hr'));
    } else if (heading.test(line)) {
      at += 1;
      const [, marks, words] = heading.exec(line);
      // The page has headings of its own.
      blocks.push(
        element(
          'p',
          { class: `heading level-${marks.length}` },
          element('strong', {}, ...renderInline(words)),
        ),
      );
    } else if (quote.test(line) && depth < maxDepth) {
      const quoted = take((next) => quote.test(next)).map((next) => quote.exec(next)[1]);
      blocks.push(element('blockquote', {}, ...renderBlocks(quoted, depth + 1)));
    } else if (bullet.test(line) && depth < maxDepth) {
      const isPart = (next, index) =>
        index === 0 ||
        bullet.test(next) ||
        /^\s{2,}\S/.test(next) ||
        (next.trim() === '' && bullet.test(lines[at + 1] ?? ''));
      blocks.push(renderList(take(isPart), depth));
    } else if (line.includes('|') && tableRule.test(lines[at + 1] ?? '')) {
      blocks.push(renderTable(take((next) => next.includes('|'))));
    } else {
      const words = take((next, index) => index === 0 || !(next.trim() === '' || startsBlock(next)));
      blocks.push(element('p', {}, ...withBreaks(words)));
    }
  }
  return blocks;
}

const startsBlock = (line) =>
  fence.test(line) || heading.test(line) || bullet.test(line) || quote.test(line) || rule.test(line);

const withBreaks = (lines) =>
  lines.flatMap((line, index) => [...(index > 0 ? [element('br')] : []), ...renderInline(line.trim())]);

function renderList(lines, depth) {
  const [, indent, mark] = bullet.exec(lines[0]);
  const items = [];
  for (const line of lines) {
    const item = bullet.exec(line);
    if (item && item[1].length <= indent.length) items.push([item[3]]);
    else items.at(-1)?.push(line.slice(Math.min(indent.length + 2, line.search(/\S|$/))));
  }
  const isNumbered = /\d/.test(mark);
  const start =
    isNumbered && Number.parseInt(mark, 10) !== 1 ? { start: String(Number.parseInt(mark, 10)) } : {};
  const content = (item) => {
    const [first, ...rest] = item;
    return rest.some((line) => line.trim() !== '')
      ? [...renderInline(first), ...renderBlocks(rest, depth + 1)]
      : renderInline(first);
  };
  return element(
    isNumbered ? 'ol' : 'ul',
    start,
    ...items.map((item) => element('li', {}, ...content(item))),
  );
}

function renderTable(lines) {
  const cells = (line) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => renderInline(cell.trim()));
  const [head, , ...body] = lines;
  const row = (line, name) => element('tr', {}, ...cells(line).map((cell) => element(name, {}, ...cell)));
  return element(
    'div',
    { class: 'table', tabindex: '0' },
    element(
      'table',
      {},
      element('thead', {}, row(head, 'th')),
      element('tbody', {}, ...body.map((line) => row(line, 'td'))),
    ),
  );
}

/** The first of these that a text has is made an element; what is inside it is read in the same way. */
const inline = [
  { shape: /`([^`]+)`/, make: ([, code]) => element('code', {}, code) },
  {
    shape: /!?\[([^\]]{1,500})\]\(\s*<?([^\s()<>]{1,2000})>?[^)]{0,200}\)/,
    make: ([whole, words, address]) => link(address, words, whole),
  },
  {
    shape: /\*\*(?=\S)([^*]*?\S)\*\*|__(?=\S)([^_]*?\S)__/,
    make: ([, one, other], depth) => element('strong', {}, ...renderInline(one ?? other, depth)),
  },
  {
    shape: /\*(?=[^\s*])([^*]*?[^\s*])\*|(?<![\p{L}\p{N}_])_(?=[^\s_])([^_]*?[^\s_])_(?![\p{L}\p{N}_])/u,
    make: ([, one, other], depth) => element('em', {}, ...renderInline(one ?? other, depth)),
  },
  {
    shape: /~~(?=\S)([^~]*?\S)~~/,
    make: ([, words], depth) => element('s', {}, ...renderInline(words, depth)),
  },
  {
    shape: /https?:\/\/[^\s<>()[\]{}"'`*]+[^\s<>()[\]{}"'`*.,:;!?]/i,
    make: ([address]) => link(address, address, address),
  },
];

function renderInline(text, depth = 0) {
  if (depth > maxDepth) return [text];
  const parts = [];
  let rest = text;
  while (rest !== '') {
    let first;
    for (const { shape, make } of inline) {
      const match = shape.exec(rest);
      if (match && (!first || match.index < first.match.index)) first = { match, make };
    }
    if (!first) break;
    const { match, make } = first;
    if (match.index > 0) parts.push(unescaped(rest.slice(0, match.index)));
    parts.push(make(match, depth + 1));
    rest = rest.slice(match.index + match[0].length);
  }
  if (rest !== '') parts.push(unescaped(rest));
  return parts;
}

const unescaped = (text) => text.replace(/\\([\\`*_{}[\]()#+.!~|>-])/g, '$1');

function link(address, words, whole) {
  if (!allowed.test(address)) return whole;
  return element('a', { href: address, target: '_blank', rel: 'noopener noreferrer nofollow ugc' }, words);
}
