/** Line and column at which a text stops being JSON, both starting at 1. */
interface Place {
  line: number;
  column: number;
}

const marks = '{}[],:';
const spaces = ' \t\n\r';
const word = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end';
type Bracket = '{' | '[';

/** The position of the first fault, in linear time; `null` if the text is JSON. */
export function findJsonFault(text: string): Place | null {
  const open: Bracket[] = [];
  let expected: Expected = 'value';
  for (let at = afterSpaces(text, 0); at < text.length; at = afterSpaces(text, at)) {
    const next: Expected | undefined = follow(expected, open, text[at] ?? '');
    if (next === undefined) return placeOf(text, at);
    const { end, isWhole } = readToken(text, at);
    if (!isWhole) return placeOf(text, end);
    at = end;
    expected = next;
  }
  return expected === ', or end' && open.length === 0 ? null : placeOf(text, text.length);
}

/** The tokens allowed after one that begins with this character; `undefined` if that token isn't allowed. */
function follow(expected: Expected, open: Bracket[], begin: string): Expected | undefined {
  if (begin === '}' || begin === ']') return close(expected, open, begin);
  if (begin === ',') {
    if (expected !== ', or end' || open.length === 0) return undefined;
    return open.at(-1) === '{' ? 'key' : 'value';
  }
  if (begin === ':') return expected === ':' ? 'value' : undefined;
  if (begin === '"' && expected.startsWith('key')) return ':';
  if (!expected.startsWith('value')) return undefined;
  if (begin !== '{' && begin !== '[') return ', or end';
  open.push(begin);
  return begin === '{' ? 'key or }' : 'value or ]';
}

function close(expected: Expected, open: Bracket[], bracket: '}' | ']'): Expected | undefined {
  const [begin, empty] = bracket === '}' ? (['{', 'key or }'] as const) : (['[', 'value or ]'] as const);
  const mayClose = expected === ', or end' || expected === empty;
  return mayClose && open.pop() === begin ? ', or end' : undefined;
}

/** The end of a token, or the position at which it breaks. */
function readToken(text: string, start: number): { end: number; isWhole: boolean } {
  if (text[start] === '"') return readString(text, start);
  const length = marks.includes(text[start] ?? '') ? 1 : lengthOf(word, text, start);
  return { end: start + length, isWhole: length > 0 };
}

function readString(text: string, start: number): { end: number; isWhole: boolean } {
  for (let at = start + 1; at < text.length; ) {
    const character = text.charCodeAt(at);
    if (character === quote) return { end: at + 1, isWhole: true };
    const length = character === backslash ? lengthOf(escaped, text, at) : character < 0x20 ? 0 : 1;
    if (length === 0) return { end: at, isWhole: false };
    at += length;
  }
  return { end: text.length, isWhole: false };
}

const quote = 0x22;
const backslash = 0x5c;

function afterSpaces(text: string, start: number): number {
  let at = start;
  while (at < text.length && spaces.includes(text[at] ?? '')) at += 1;
  return at;
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}
