/**
 * What a message says; `undefined` when it is no JSON. Nothing may be thrown where messages are heard: it would end the
 * reading of the whole connection, and the process were deaf until the server misses its pings.
 */
export function readJson(message: { string(): string }): unknown {
  try {
    return JSON.parse(message.string());
  } catch {
    return undefined;
  }
}
