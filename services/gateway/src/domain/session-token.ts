import type { UserIdentity } from '@botyard/contracts/identity';
import { isSameAddress } from '@botyard/shared/config/addresses';
import { partyOf } from '@botyard/shared/config/authorized-parties';
import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import { accessRefusal, type Grant, isAccessToken, isAccessType, toAccess } from './access-token.ts';
import {
  behind,
  otherIssuer,
  otherParty,
  refusalOf,
  shapeless,
  slugInsteadOfId,
  type TokenRefusal,
} from './token-refusal.ts';

/** A token that was verified. */
interface Session {
  identity: UserIdentity;
  grant: Grant;
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
  /** Our public address, if the provider's OAuth access tokens for it are accepted as well. */
  accessTokensFor?: string | undefined;
  keys: JWTVerifyGetKey;
  now: () => number;
  /** Called with the reason for each token that is refused although it isn't plainly forged. */
  onRefused?: (refusal: TokenRefusal) => void;
  onVerified?: () => void;
}

const leewaySeconds = 5;
const maxTokenLength = 8192;
const word = z.string().min(1).max(256);
const Organization = z.object({ id: word, rol: word });
const Claims = z.object({ sub: word, sid: word, exp: z.number(), iat: z.number() });

/**
 * Verifies session tokens of the identity provider: fixed algorithms, issuer, times with 5 s of leeway, the authorized
 * party, and no session with unfinished tasks. Addresses are compared in their normal spelling. With `accessTokensFor`
 * it verifies OAuth access tokens, too; without it they are what any other token is.
 */
export function createSessionVerifier(rules: SessionRules): VerifySession {
  const { onRefused = () => undefined, onVerified = () => undefined } = rules;
  return async (token) => {
    if (token.length > maxTokenLength) return null;
    const now = rules.now();
    try {
      const { payload, protectedHeader } = await jwtVerify(token, rules.keys, {
        algorithms: ['RS256', 'ES256', 'EdDSA'],
        clockTolerance: leewaySeconds,
        currentDate: new Date(now),
      });
      const isAccess = rules.accessTokensFor !== undefined && isAccessToken(protectedHeader.typ, payload);
      const isExpectedType = isAccess && isAccessType(protectedHeader.typ);
      if (!isExpectedType && (protectedHeader.typ ?? 'JWT').toUpperCase() !== 'JWT') return null;
      const refusal = refusalByClaims(payload, rules, { now, isAccess });
      if (refusal) onRefused(refusal);
      else onVerified();
      if (refusal) return null;
      if (isAccess) return toDelegated(payload);
      if (namesBySlug(payload, rules)) onRefused(slugInsteadOfId);
      return toSession(payload, rules);
    } catch (error) {
      const refusal = refusalOf(error, now);
      if (refusal) onRefused(refusal);
      return null;
    }
  };
}

/** The first reason to refuse a token whose signature and times are right. */
function refusalByClaims(
  payload: JWTPayload,
  { issuer, authorizedParties, accessTokensFor }: SessionRules,
  { now, isAccess }: { now: number; isAccess: boolean },
): TokenRefusal | undefined {
  const claims = Claims.safeParse(payload);
  if (typeof payload.iss !== 'string' || !isSameAddress(payload.iss, issuer))
    return otherIssuer(payload.iss, issuer);
  if (isAccess) return accessRefusal(payload, accessTokensFor ?? '', now);
  if (!claims.success) {
    const names = [...new Set(claims.error.issues.map(({ path }) => path.join('.')))].join(', ');
    return shapeless(`it lacks ${names}. Tokens of templates have no sid: send the session token itself`);
  }
  if (payload.sts === 'pending')
    return shapeless(
      'its session is pending: the person has to finish a task, such as choosing an organization',
    );
  if (claims.data.iat > now / 1000 + leewaySeconds) return behind('iat', claims.data.iat, now);
  const isListed = typeof payload.azp === 'string' && authorizedParties.includes(partyOf(payload.azp));
  if (authorizedParties.length > 0 && !isListed) return otherParty(payload.azp, authorizedParties);
  return undefined;
}

/** Whether the setting holds the slug of the token's organization, which is no identifier. */
function namesBySlug({ o, org_slug }: JWTPayload, { platformOrgId }: SessionRules): boolean {
  const slug = (o as { slg?: unknown } | undefined)?.slg ?? org_slug;
  return platformOrgId !== undefined && slug === platformOrgId;
}

/** For a payload without a reason to refuse it. */
function toSession(payload: JWTPayload, rules: SessionRules): Session {
  const claims = Claims.parse(payload);
  const org = organizationOf(payload);
  const isOperator =
    rules.platformOrgId !== undefined && org?.id === rules.platformOrgId && org.role === 'org:admin';
  return {
    identity: {
      kind: 'user',
      idpUserId: claims.sub,
      sessionId: claims.sid,
      ...text('email', payload.email),
      ...text('name', payload.name),
      ...(org ? { org } : {}),
      isOperator,
    },
    grant: 'all',
    expiresAtMs: claims.exp * 1000,
  };
}

/**
 * The same, of an access token: its person without the operator's rights, which nobody delegates to a program. A
 * client's active tenant is its own, as with a session.
 */
function toDelegated(payload: JWTPayload): Session {
  const { clientId, grant } = toAccess(payload);
  const org = organizationOf(payload);
  return {
    identity: {
      kind: 'user',
      idpUserId: `${payload.sub}`,
      sessionId: `client:${clientId}`,
      ...text('email', payload.email),
      ...text('name', payload.name),
      ...(org ? { org } : {}),
      isOperator: false,
    },
    grant,
    expiresAtMs: Number(payload.exp) * 1000,
  };
}

/** Version 2 has `o: { id, rol }`, version 1 `org_id` and `org_role`. A role is always returned as `org:<role>`. */
function organizationOf(payload: JWTPayload): UserIdentity['org'] {
  const organization = payload.o ?? { id: payload.org_id, rol: payload.org_role };
  const { data } = Organization.safeParse(organization);
  return data && { id: data.id, role: `org:${data.rol.replace(/^org:/, '')}` };
}

function text<Name extends string>(name: Name, claim: unknown): { [name in Name]?: string } {
  const { data } = word.safeParse(claim);
  return (data === undefined ? {} : { [name]: data }) as { [name in Name]?: string };
}
