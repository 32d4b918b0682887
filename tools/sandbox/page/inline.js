/** Renders the marks of a platform's dialect, as its apps show them. */
import { element } from './dom.js';

/** Marks and the elements for them. A mark counts at the edge of a word only, and its text has no blank at its ends. */
export const whatsappMarks = { '```': 'code', '`': 'code', '*': 'b', _: 'i', '~': 's' };
export const slackMarks = { '```': 'code', '`': 'code', '**': 'b', '~~': 's', '*': 'i', _: 'i' };

/** Returns nodes: text, and elements for marked parts. Code holds no marks. */
export function formatted(text, marks) {
  const nodes = [];
  let plain = '';
  for (let at = 0; at < text.length; ) {
    const mark = isEdge(text[at - 1])
      ? Object.keys(marks).find((one) => text.startsWith(one, at))
      : undefined;
    const from = at + (mark?.length ?? 0);
    const to = mark === undefined ? -1 : closing(text, mark, from);
    if (to === -1) {
      plain += text[at];
      at += 1;
      continue;
    }
    if (plain !== '') nodes.push(plain);
    plain = '';
    const inner = text.slice(from, to);
    nodes.push(element(marks[mark], '', ...(marks[mark] === 'code' ? [inner] : formatted(inner, marks))));
    at = to + mark.length;
  }
  return plain === '' ? nodes : [...nodes, plain];
}

const isEdge = (character) => character === undefined || /[\s\p{P}\p{S}]/u.test(character);
const isBlank = (character) => character === undefined || /\s/.test(character);

/** A mark ends on its own line, except of code over several lines. */
function closing(text, mark, from) {
  const to = text.indexOf(mark, from);
  if (to <= from || isBlank(text[from]) || isBlank(text[to - 1])) return -1;
  if (mark !== '```' && text.slice(from, to).includes('\n')) return -1;
  return isEdge(text[to + mark.length]) ? to : -1;
}
