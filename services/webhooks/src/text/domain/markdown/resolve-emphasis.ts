import type { Token, Tokens } from 'marked';

/** A run of `*`, `_` or `~`, which may begin or end emphasis. */
interface Delimiter {
  sign: string;
  /** Signs that are left: emphasis takes one or two of them. */
  count: number;
  length: number;
  canOpen: boolean;
  canClose: boolean;
  before: string;
  after: string;
}

/** `depth`: the emphasis within a token. */
type Node =
  | { token: Token; depth: number; delimiter?: undefined }
  | { delimiter: Delimiter; token?: undefined };

/** Deeper emphasis stays as it was typed: nobody would see it. */
const maxDepth = 16;

const space = /^\s*$/;
const punctuation = /^[\p{P}\p{S}]/u;
const opening = /^[\p{Ps}\p{Pi}]/u;
const closing = /^(?:[\p{Pe}\p{Pf}]|[,.;:!?、。，：；！？])/u;
/** Scripts that write words without spaces between them, and their punctuation. */
const unspaced =
  /^(?:[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}]|[\u3000-\u303f\uff00-\uffef])/u;

/**
 * Resolves emphasis among sibling tokens in linear time. The rules are CommonMark's, except that a bold or struck text
 * may touch any letter or punctuation at both edges, because Chinese, Japanese, Korean and Thai have no spaces there,
 * and people never see asterisks that were meant as formatting.
 */
export function resolveEmphasis(tokens: readonly Token[]): Token[] {
  const nodes = tokens.flatMap((token, index) => split(token, tokens[index - 1], tokens[index + 1]));
  if (!nodes.some(({ delimiter }) => delimiter)) return [...tokens];
  const resolved = pairLoose(pairDelimiters(nodes));
  return resolved.map(({ token, delimiter }) => token ?? textOf(delimiter.sign.repeat(delimiter.count)));
}

const nodeOf = (token: Token, depth = 0): Node => ({ token, depth });
const textOf = (raw: string): Tokens.Text => ({ type: 'text', raw, text: raw, escaped: false });
/** The last character before `end` that isn't a combining mark. */
function lastOf(text: string, end = text.length): string {
  if (end === 0 || text.charCodeAt(end - 1) < 0x300) return text.slice(Math.max(0, end - 1), end);
  const units = [...text.slice(Math.max(0, end - 16), end)];
  return units.findLast((unit) => !/^\p{M}/u.test(unit)) ?? '';
}
const firstOf = (text: string, start = 0): string => String.fromCodePoint(text.codePointAt(start) ?? 0x20);

/** A text as its words and delimiters; any other token as it is. */
function split(token: Token, previous: Token | undefined, next: Token | undefined): Node[] {
  if (token.type !== 'text' || (token as Tokens.Text).escaped || !/[*_]|~~/.test(token.raw))
    return [nodeOf(token)];
  const { raw } = token;
  const nodes: Node[] = [];
  let end = 0;
  for (const { 0: run, index } of raw.matchAll(/\*+|_+|~~+/g)) {
    if (index > end) nodes.push(nodeOf(textOf(raw.slice(end, index))));
    end = index + run.length;
    const before = index > 0 ? lastOf(raw, index) : lastOf(previous?.raw ?? '');
    const after = end < raw.length ? firstOf(raw, end) : firstOf(next?.raw ?? '');
    nodes.push({ delimiter: delimiterOf(run, before, after) });
  }
  if (end < raw.length) nodes.push(nodeOf(textOf(raw.slice(end))));
  return nodes;
}

function delimiterOf(run: string, before: string, after: string): Delimiter {
  const sign = run[0]!;
  const ends = { isSpaceBefore: space.test(before), isSpaceAfter: space.test(after) };
  const isMarkBefore = punctuation.test(before);
  const isMarkAfter = punctuation.test(after);
  const isLeft =
    !ends.isSpaceAfter && (!isMarkAfter || ends.isSpaceBefore || isMarkBefore || unspaced.test(before));
  const isRight =
    !ends.isSpaceBefore && (!isMarkBefore || ends.isSpaceAfter || isMarkAfter || unspaced.test(after));
  let canOpen = isLeft;
  let canClose = isRight;
  if (sign === '_') {
    canOpen = isLeft && (!isRight || isMarkBefore || unspaced.test(before));
    canClose = isRight && (!isLeft || isMarkAfter || unspaced.test(after));
  } else if (run.length >= 2) {
    canOpen ||= !ends.isSpaceAfter && !closing.test(after);
    canClose ||= !ends.isSpaceBefore && !opening.test(before);
  }
  // In a path such as `src/**/*.ts`.
  const isPath = before === '/' && /^[\s/.]?$/.test(after);
  if (isPath) canOpen = canClose = false;
  // A run of tildes is either two signs or a line.
  if (sign === '~' && run.length > 2) canOpen = canClose = false;
  return { sign, count: run.length, length: run.length, canOpen, canClose, before, after };
}

/** CommonMark's algorithm: each closer takes the nearest opener that fits, and openers between them are text. */
function pairDelimiters(nodes: readonly Node[]): Node[] {
  const done: Node[] = [];
  /** Positions of openers in `done`. */
  const openers: number[] = [];
  /** How many openers a closer of this kind need not look at again. */
  const useless = new Map<string, number>();
  for (const node of nodes) {
    const { delimiter } = node;
    if (delimiter?.canClose) closeAll(delimiter, { done, openers, useless });
    if (delimiter?.count === 0) continue;
    done.push(node);
    if (delimiter?.canOpen) openers.push(done.length - 1);
  }
  return done;
}

interface Pairing {
  done: Node[];
  openers: number[];
  useless: Map<string, number>;
}

/** Ends as much emphasis as the signs of a closer allow. */
function closeAll(closer: Delimiter, { done, openers, useless }: Pairing): void {
  const kind = `${closer.sign}${closer.canOpen}${closer.length % 3}`;
  while (closer.count > 0) {
    const place = findOpener(done, openers, closer, useless.get(kind) ?? 0);
    if (place === -1) {
      useless.set(kind, openers.length);
      return;
    }
    if (!close(done, openers, place, closer)) return;
    for (const [one, count] of useless) if (count > openers.length) useless.set(one, openers.length);
  }
}

/** The index in `openers` of the opener for a closer, or -1. */
function findOpener(
  done: readonly Node[],
  openers: readonly number[],
  closer: Delimiter,
  floor: number,
): number {
  for (let index = openers.length - 1; index >= floor; index -= 1) {
    const opener = done[openers[index]!]!.delimiter!;
    if (opener.sign !== closer.sign) continue;
    if (closer.sign === '~' && opener.count !== closer.count) continue;
    const isOdd = (opener.canClose || closer.canOpen) && (opener.length + closer.length) % 3 === 0;
    if (isOdd && (opener.length % 3 !== 0 || closer.length % 3 !== 0)) continue;
    return index;
  }
  return -1;
}

/** Returns `false` if the emphasis would be nested too deep. */
function close(done: Node[], openers: number[], place: number, closer: Delimiter): boolean {
  const at = openers[place]!;
  const opener = done[at]!.delimiter!;
  const depth = depthOf(done, at + 1) + 1;
  if (depth > maxDepth) return false;
  const used = closer.sign === '~' || (opener.count >= 2 && closer.count >= 2) ? 2 : 1;
  openers.length = place;
  const inner = done.splice(at + 1);
  opener.count -= used;
  closer.count -= used;
  if (opener.count === 0) done.pop();
  else openers.push(at);
  done.push(nodeOf(emphasis(closer.sign, used, inner), depth));
  return true;
}

function depthOf(nodes: readonly Node[], from: number): number {
  let depth = 0;
  for (let index = from; index < nodes.length; index += 1) {
    const { token, delimiter } = nodes[index]!;
    if (token && !delimiter) depth = Math.max(depth, (nodes[index] as { depth: number }).depth);
  }
  return depth;
}

function emphasis(sign: string, used: number, inner: readonly Node[]): Token {
  const type = sign === '~' ? 'del' : used === 2 ? 'strong' : 'em';
  const tokens = inner.map(({ token, delimiter }) => token ?? textOf(delimiter.sign.repeat(delimiter.count)));
  const mark = sign.repeat(used);
  return { type, raw: mark + tokens.map(({ raw }) => raw).join('') + mark, text: '', tokens } as Token;
}

/** Pairs what is left of bold text with a space inside its asterisks, within one line. */
function pairLoose(nodes: readonly Node[]): Node[] {
  const done: Node[] = [];
  let opener: number | undefined;
  for (const node of nodes) {
    const { token, delimiter } = node;
    if (token?.type === 'br' || token?.raw.includes('\n')) opener = undefined;
    const isBold = delimiter?.sign === '*' && delimiter.count === 2 && delimiter.length === 2;
    if (isBold && opener !== undefined && endsLoosely(done[opener]!.delimiter!, delimiter)) {
      const inner = done.splice(opener + 1);
      done.pop();
      done.push(nodeOf(emphasis('*', 2, trimmed(inner))));
      opener = undefined;
      continue;
    }
    done.push(node);
    if (isBold) opener = done.length - 1;
  }
  return done;
}

function endsLoosely(opener: Delimiter, closer: Delimiter): boolean {
  const beginsLine = (opener.before === '' || opener.before === '\n') && space.test(opener.after);
  if (!opener.canOpen && !beginsLine) return false;
  return space.test(closer.after) || punctuation.test(closer.after) || unspaced.test(closer.after);
}

function trimmed(nodes: readonly Node[]): Node[] {
  return nodes.map((node, index) => {
    if (node.token?.type !== 'text') return node;
    let { raw } = node.token;
    if (index === 0) raw = raw.trimStart();
    if (index === nodes.length - 1) raw = raw.trimEnd();
    return nodeOf(textOf(raw));
  });
}
