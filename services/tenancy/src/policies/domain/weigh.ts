import { maxBytesDecided, maxFactLength, policyLimits, setLimits, smallSet } from './limits.ts';

/** Counts that determine a policy's cost, taken without parsing it. */
interface PolicyWeight {
  bytes: number;
  /** Characters of the longest literal. */
  literal: number;
  /** Characters of all patterns of `like`. */
  patterns: number;
  longestPattern: number;
  /** The most `*` in one pattern. */
  wildcards: number;
  depth: number;
}

/** Reads a text once, in linear time, even if it isn't valid Cedar. */
export function weighPolicy(text: string): PolicyWeight {
  const weight = { literal: 0, patterns: 0, longestPattern: 0, wildcards: 0, depth: 0 };
  let depth = 0;
  let isPattern = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (isSpace(sign)) continue;
    if (sign === '/' && text[at + 1] === '/') {
      at = endOfLine(text, at);
      continue;
    }
    if (sign === '"') {
      const { end, wildcards } = readString(text, at + 1);
      count(weight, end - at - 1, isPattern ? wildcards : undefined);
      at = end;
    }
    depth += bracketStep(sign);
    weight.depth = Math.max(weight.depth, depth);
    // The name of an attribute may also end like this. Then a literal counts as a pattern, which is harmless.
    isPattern = sign === 'l' && text.startsWith('like', at);
    if (isPattern) at += 'like'.length - 1;
  }
  return { bytes: Buffer.byteLength(text), ...weight };
}

const isSpace = (sign: string): boolean => sign === ' ' || sign === '\n' || sign === '\t' || sign === '\r';

function bracketStep(sign: string): number {
  if (sign === '(' || sign === '[' || sign === '{') return 1;
  return sign === ')' || sign === ']' || sign === '}' ? -1 : 0;
}

/** `wildcards` for a pattern, `undefined` for another literal. */
function count(weight: Omit<PolicyWeight, 'bytes'>, length: number, wildcards: number | undefined): void {
  weight.literal = Math.max(weight.literal, length);
  if (wildcards === undefined) return;
  weight.patterns += length;
  weight.longestPattern = Math.max(weight.longestPattern, length);
  weight.wildcards = Math.max(weight.wildcards, wildcards);
}

/** From after the opening quotation mark to the closing one, or to the end; `\*` is not a wildcard. */
function readString(text: string, from: number): { end: number; wildcards: number } {
  let wildcards = 0;
  let at = from;
  for (; at < text.length && text[at] !== '"'; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '*') wildcards += 1;
  }
  return { end: Math.min(at, text.length), wildcards };
}

function endOfLine(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at += 1;
  return at;
}

/** Reasons why a policy with these counts isn't saved. */
export function findExcesses(weight: PolicyWeight): string[] {
  const rules: [amount: number, most: number, what: string][] = [
    [weight.literal, policyLimits.literal, 'characters in one string'],
    [weight.longestPattern, policyLimits.pattern, 'characters in one pattern of "like"'],
    [weight.wildcards, policyLimits.wildcards, 'wildcards (*) in one pattern of "like"'],
    [weight.depth, policyLimits.depth, 'levels of brackets'],
  ];
  return rules
    .filter(([amount, most]) => amount > most)
    .map(([amount, most, what]) => `has ${amount} ${what}; at most ${most} are allowed`);
}

interface NamedText {
  name: string;
  text: string;
}

/** Reasons why these enabled policies exceed the limits together; none if they are not larger than `before`. */
export function findSetExcess(
  policies: readonly NamedText[],
  before: readonly NamedText[],
): string | undefined {
  const rules = [
    { of: 'bytes', most: setLimits.bytes, what: 'bytes of text' },
    { of: 'patterns', most: setLimits.patterns, what: 'characters in patterns of "like"' },
  ] as const;
  const [weights, weightsBefore] = [policies, before].map((set) => set.map(({ text }) => weighPolicy(text)));
  for (const { of, most, what } of rules) {
    const sum = (all: readonly PolicyWeight[] = []) => all.reduce((total, weight) => total + weight[of], 0);
    if (sum(weights) <= most || sum(weights) <= sum(weightsBefore)) continue;
    const parts = policies.map(({ name }, index) => ({ name, part: weights?.[index]?.[of] ?? 0 }));
    const [largest] = parts.sort((a, b) => b.part - a.part);
    return (
      `the tenant's enabled policies would have ${sum(weights)} ${what} in all, and at most ${most} are allowed; ` +
      `"${largest?.name}" has the most (${largest?.part}): shorten it, or disable policies that are not needed`
    );
  }
  return undefined;
}

export type SetSize = 'small' | 'large' | 'too large';

/** Determines where a set of stored texts is decided, including texts older than the limits. */
export function sizeOf(texts: readonly string[]): SetSize {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > maxBytesDecided) return 'too large';
  if (bytes > smallSet.bytes) return 'large';
  const weights = texts.map(weighPolicy);
  const patterns = weights.reduce((sum, weight) => sum + weight.patterns, 0);
  const isPlain = weights.every(
    ({ literal, depth }) => literal <= maxFactLength && depth <= policyLimits.depth,
  );
  return isPlain && patterns <= smallSet.patterns ? 'small' : 'large';
}
