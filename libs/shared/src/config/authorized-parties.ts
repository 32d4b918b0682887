/**
 * An authorized party in one spelling. Parties are origins: the host is in lower case, and a default port and a
 * trailing slash say nothing. Any other text stays as it is.
 */
export function partyOf(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return text;
  const { origin, pathname, search, hash, username } = new URL(text);
  return pathname === '/' && !search && !hash && !username ? origin : text;
}

/** Why a party of the setting can't be the origin of any token; `undefined` for a possible one. */
export function partyFault(party: string): string | undefined {
  if (/^https?:\/\//i.test(party)) {
    const isOrigin = URL.canParse(party) && new URL(party).origin === party;
    return isOrigin ? undefined : 'is not an origin: write scheme, host and port only';
  }
  const looksLikeHost = /^(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:\/.*)?$/.test(party);
  return looksLikeHost ? 'has no scheme: an origin begins with https:// or http://' : undefined;
}
