import type { UserIdentity } from '@botyard/contracts/identity';
import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';

/** A session token that was verified. */
interface Session {
  identity: UserIdentity;
  /** The time when the token expires, without leeway. */
  expiresAtMs: number;
}

/** Resolves with `null` for every invalid token, for any reason. */
export type VerifySession = (token: string) => Promise<Session | null>;

/** The rules for accepting tokens; `now` is milliseconds since the epoch. */
export interface SessionRules {
  issuer: string;
  /** If empty, `azp` isn't checked. */
  authorizedParties: readonly string[];
  /** The organization whose admins operate the platform. */
  platformOrgId: string | undefined;
  keys: JWTVerifyGetKey;
  now: () => number;
}

const leewaySeconds = 5;
const maxTokenLength = 8192;
const word = z.string().min(1).max(256);
const Organization = z.object({ id: word, rol: word });
const Claims = z.object({ sub: word, sid: word, exp: z.number(), iat: z.number() });

/**
 * Verifies session tokens of the identity provider: fixed algorithms, issuer, times with 5 s of leeway, the authorized
 * party, and no session with unfinished tasks.
 */
export function createSessionVerifier(rules: SessionRules): VerifySession {
  return async (token) => {
    if (token.length > maxTokenLength) return null;
    const now = rules.now();
    try {
      const { payload, protectedHeader } = await jwtVerify(token, rules.keys, {
        algorithms: ['RS256', 'ES256', 'EdDSA'],
        // The setting has no trailing slash, while some providers use one in their name.
        issuer: [rules.issuer, `${rules.issuer}/`],
        clockTolerance: leewaySeconds,
        currentDate: new Date(now),
      });
      if ((protectedHeader.typ ?? 'JWT').toUpperCase() !== 'JWT') return null;
      return toSession(payload, rules, now);
    } catch {
      return null;
    }
  };
}

function toSession(payload: JWTPayload, rules: SessionRules, now: number): Session | null {
  const claims = Claims.safeParse(payload);
  if (!claims.success || payload.sts === 'pending') return null;
  if (claims.data.iat > now / 1000 + leewaySeconds) return null;
  if (rules.authorizedParties.length > 0 && !rules.authorizedParties.includes(String(payload.azp)))
    return null;
  const org = organizationOf(payload);
  const isOperator =
    rules.platformOrgId !== undefined && org?.id === rules.platformOrgId && org.role === 'org:admin';
  return {
    identity: {
      kind: 'user',
      idpUserId: claims.data.sub,
      sessionId: claims.data.sid,
      ...text('email', payload.email),
      ...text('name', payload.name),
      ...(org ? { org } : {}),
      isOperator,
    },
    expiresAtMs: claims.data.exp * 1000,
  };
}

/** Version 2 has `o: { id, rol }`, version 1 `org_id` and `org_role`. A role is always returned as `org:<role>`. */
function organizationOf(payload: JWTPayload): UserIdentity['org'] {
  const told = payload.o ?? { id: payload.org_id, rol: payload.org_role };
  const { data } = Organization.safeParse(told);
  return data && { id: data.id, role: `org:${data.rol.replace(/^org:/, '')}` };
}

function text<Name extends string>(name: Name, claim: unknown): { [name in Name]?: string } {
  const { data } = word.safeParse(claim);
  return (data === undefined ? {} : { [name]: data }) as { [name in Name]?: string };
}
