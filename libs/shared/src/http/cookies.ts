/** A cookie that scripts can't read and that other sites' forms and frames don't send. */
export interface NewCookie {
  name: string;
  value: string;
  maxAgeSeconds: number;
  /** False only if the browser uses plain http to its own machine. */
  isSecure: boolean;
}

/** The value of a cookie in a `Cookie` header; `undefined` if it is missing or occurs twice. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = pairsOf(header).flatMap(([key, value]) => (key === name ? [value] : []));
  return values.length === 1 ? values[0] : undefined;
}

/** The `Cookie` header reduced to these names; `undefined` if none is left. */
export function onlyCookies(header: string | undefined, names: readonly string[]): string | undefined {
  if (header === undefined || names.length === 0) return undefined;
  const kept = pairsOf(header).filter(([key]) => names.includes(key));
  return kept.length === 0 ? undefined : kept.map(([key, value]) => `${key}=${value}`).join('; ');
}

/** A `Set-Cookie` header for the whole host. */
export function writeCookie({ name, value, maxAgeSeconds, isSecure }: NewCookie): string {
  const attributes = ['Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax'];
  return [`${name}=${value}`, ...attributes, ...(isSecure ? ['Secure'] : [])].join('; ');
}

function pairsOf(header: string | undefined): [string, string][] {
  return (header ?? '').split(';').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()]];
  });
}
