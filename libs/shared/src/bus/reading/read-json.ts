/**
 * Parses a message; returns `undefined` if it isn't JSON. It must not throw: that would end the reading of the whole
 * connection, and the process would receive nothing until the server notices its missing pings.
 */
export function readJson(message: { string(): string }): unknown {
  try {
    return JSON.parse(message.string());
  } catch {
    return undefined;
  }
}
