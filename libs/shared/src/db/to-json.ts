/** Escapes in JSON. One begins with `\ud` only for half of a surrogate pair: a whole pair is written as it is. */
const escapes = /\\(?:u(d[89a-f][0-9a-f]{2})|.)/g;

/** A value as JSON that Postgres can read: it refuses half of a surrogate pair, which anyone may send. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json?.includes('\\ud') ? json.replace(escapes, (found, half) => (half ? '\uFFFD' : found)) : json;
}
