import { isSameAddress } from '@botyard/shared/config/addresses';
import type { JWTPayload } from 'jose';
import { z } from 'zod';
import { behind, foreignAudience, shapelessAccess, type TokenRefusal } from './token-refusal.ts';

/**
 * The part of a person's rights that a token carries (REQ-GATE-4): all of them for a session token, and for an access
 * token with `botyard:write`.
 */
export type Grant = 'all' | 'read' | 'nothing';

export const scopes = { read: 'botyard:read', write: 'botyard:write' } as const;

const leewaySeconds = 5;
/** A client renews its token with the identity provider, where a person can end that. */
const maxLifetimeSeconds = 24 * 60 * 60;
const word = z.string().min(1).max(256);
const addresses = z.union([z.string(), z.array(z.string()).max(20)]).optional();
const Claims = z.object({
  sub: word,
  client_id: word,
  scope: z.string().max(4096),
  exp: z.number(),
  iat: z.number(),
  aud: addresses,
  resource: addresses,
});

/**
 * Whether the identity provider signed this as an OAuth access token: by its type, or by the client that it names. No
 * session token has either.
 */
export const isAccessToken = (typ: string | undefined, payload: JWTPayload): boolean =>
  isAccessType(typ) || payload.client_id !== undefined;

export const isAccessType = (typ: string | undefined): boolean =>
  /^(?:application\/)?at\+jwt$/i.test(typ ?? '');

/** The first reason to refuse an access token whose signature, issuer and times are right. */
export function accessRefusal(payload: JWTPayload, publicUrl: string, now: number): TokenRefusal | undefined {
  const { data: claims, error } = Claims.safeParse(payload);
  if (!claims) {
    const names = [...new Set(error.issues.map(({ path }) => path.join('.')))].join(', ');
    return shapelessAccess(`its ${names} is missing or has a wrong form`);
  }
  if (claims.sub === claims.client_id) return shapelessAccess('it belongs to a program without a person');
  if (claims.iat > now / 1000 + leewaySeconds) return behind('iat', claims.iat, now);
  if (claims.exp - claims.iat > maxLifetimeSeconds)
    return shapelessAccess(`it is valid for longer than ${maxLifetimeSeconds / 3600} hours`);
  const audience = [claims.aud ?? [], claims.resource ?? []].flat();
  if (!audience.some((address) => isOurs(address, publicUrl))) return foreignAudience(publicUrl);
  return undefined;
}

/** For an access token without a reason to refuse it. */
export function toAccess(payload: JWTPayload): { clientId: string; grant: Grant } {
  const { client_id: clientId, scope } = Claims.parse(payload);
  const granted = scope.split(' ');
  if (granted.includes(scopes.write)) return { clientId, grant: 'all' };
  return { clientId, grant: granted.includes(scopes.read) ? 'read' : 'nothing' };
}

/** The address of the API, or of its MCP server. */
const isOurs = (address: string, publicUrl: string): boolean =>
  [publicUrl, `${publicUrl}/api`, `${publicUrl}/api/mcp`].some((own) => isSameAddress(address, own));
