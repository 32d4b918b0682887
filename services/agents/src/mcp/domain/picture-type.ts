/** The first bytes, in hex, of the types that all providers accept. */
const beginnings: readonly (readonly [mediaType: string, beginning: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(?:37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
];
const beginBytes = 12;

/** The type of a picture that a model may get, by its bytes; `undefined` for all others. It is not decoded. */
export function pictureTypeOf(bytes: Buffer): string | undefined {
  const begin = bytes.toString('hex', 0, beginBytes);
  return beginnings.find(([, beginning]) => beginning.test(begin))?.[0];
}
