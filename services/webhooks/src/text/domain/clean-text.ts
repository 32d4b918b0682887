/** Replaces U+0000, which Postgres can't store, and lone surrogates. Offsets of entities stay valid. */
export function cleanText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Clean text of at most this many UTF-16 units; a character that the end would cut in half is left out. */
export function cutText(text: string, maxUnits: number): string {
  const endsInside = isHighSurrogate(text, maxUnits - 1) && isLowSurrogate(text, maxUnits);
  return cleanText(text.slice(0, endsInside ? maxUnits - 1 : maxUnits));
}

const isHighSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800;
const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
