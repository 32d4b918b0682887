export interface JsonBounds {
  /** Objects, lists, texts, numbers and literals; the names of properties don't count. */
  maxValues: number;
  maxDepth: number;
}

/** More than any contract needs. Building values costs far more than reading their bytes. */
export const usualBounds: JsonBounds = { maxValues: 20_000, maxDepth: 100 };

/**
 * Applies to messages of our own services on the bus, which limits them to a megabyte: a person's reach can span
 * thousands of bots. Foreign values in them were bounded where they came in.
 */
export const busBounds: JsonBounds = { maxValues: 100_000, maxDepth: 150 };

const quote = 0x22;
const backslash = 0x5c;
/** Kinds of bytes outside a text. */
const kinds = { word: 0, space: 1, open: 2, close: 3, comma: 4, colon: 5, quote: 6 } as const;
/** The values and levels that each kind adds. The text before a colon was a name. */
const valuesOf = [1, 0, 1, 0, 0, -1, 1];
const levelsOf = [0, 0, 1, -1, 0, 0, 0];
const kindOf = new Uint8Array(256);
for (const [characters, kind] of [
  [' \t\r\n', kinds.space],
  ['{[', kinds.open],
  ['}]', kinds.close],
  [',', kinds.comma],
  [':', kinds.colon],
  ['"', kinds.quote],
] as const)
  for (const character of characters) kindOf[character.charCodeAt(0)] = kind;

/**
 * The bound that the bytes of a JSON text exceed, if any, without parsing it: 38 compressed bytes, or a megabyte of
 * `[[0],[0],…`, would otherwise occupy the process for seconds. Takes linear time, and stops at the first excess.
 * Bytes that aren't JSON may be counted in any way.
 */
export function exceededBound(
  bytes: Uint8Array,
  { maxValues, maxDepth }: JsonBounds = usualBounds,
): 'values' | 'depth' | undefined {
  // Too short to exceed either: each level takes two bytes.
  if (bytes.length <= maxValues && bytes.length <= maxDepth) return undefined;
  let values = 0;
  let depth = 0;
  let isInWord = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const kind = kindOf[bytes[at]!]!;
    if (kind !== kinds.word || !isInWord) values += valuesOf[kind]!;
    isInWord = kind === kinds.word;
    depth += levelsOf[kind]!;
    if (kind === kinds.quote) at = endOfText(bytes, at);
    if (depth > maxDepth) return 'depth';
    // The last text may be a name.
    if (values > maxValues + 1) return 'values';
  }
  return values > maxValues ? 'values' : undefined;
}

/** Calling `indexOf` is slower for short texts, and much faster for long ones. */
const shortText = 32;

/** The position of a text's closing quote. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < start + shortText && at < bytes.length) {
    if (bytes[at] === quote) return at;
    at += bytes[at] === backslash ? 2 : 1;
  }
  for (;;) {
    at = bytes.indexOf(quote, at);
    if (at < 0) return bytes.length;
    if (!isEscaped(bytes, at)) return at;
    at += 1;
  }
}

function isEscaped(bytes: Uint8Array, at: number): boolean {
  let before = at - 1;
  while (bytes[before] === backslash) before -= 1;
  return (at - before) % 2 === 0;
}
