/** The target of a request line, read once; every decision uses this (REQ-REL-10). */
interface RequestTarget {
  /** Lower-cased, without a trailing slash (the root is `''`): `/api/bots`. */
  readonly path: string;
}

const maxBytes = 2048;
const shape = /^((?:\/[A-Za-z0-9._~-]+)*)\/?(?:\?[\x21\x22\x24-\x7e]*)?$/;
const dotSegment = /\/\.{1,2}(?=\/|$)/;

/**
 * Accepts origin-form targets of plain segments only, because anything that two readers could read differently
 * (escapes, dots, double slashes, an authority) is a way around the gateway's checks. One trailing slash is allowed: it
 * changes no prefix, and the services' router ignores it too. `null` for everything else.
 */
export function parseTarget(url: string): RequestTarget | null {
  if (url.length > maxBytes || url[0] !== '/') return null;
  const path = shape.exec(url)?.[1];
  if (path === undefined || dotSegment.test(path)) return null;
  return { path: path.toLowerCase() };
}

/** Whether a lower-cased path is this prefix or lies beneath it, at a segment's boundary. */
export function isUnder(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}
