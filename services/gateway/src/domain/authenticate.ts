import type { Identity, SignIdentity, UserIdentity } from '@botyard/shared/auth/identity';
import { LRUCache } from 'lru-cache';
import { Principal } from './principal.ts';
import type { VerifySession } from './session-token.ts';

/** Establishes who calls. */
export interface Authenticator {
  /** From the `Authorization` header; `null` is 401. */
  user(authorization: string | undefined): Principal | null | Promise<Principal | null>;
  /** For public prefixes and webhooks. */
  anonymous(): Principal;
}

/** What authentication depends on; `now` is milliseconds since the epoch. */
export interface AuthenticatorOptions {
  sign: SignIdentity;
  /** `null` while no identity provider is configured: then no token is good (specification 5, item 3). */
  verifySession: VerifySession | null;
  /** Gives a request without an `Authorization` header the synthetic admin (specification 5, item 9). */
  isDevMode: boolean;
  now: () => number;
  /** Told what became of each token. */
  onToken?: (outcome: 'remembered' | 'verified' | 'refused') => void;
}

/** For so long a verified token isn't verified again: a revoked session lives at most this much longer. */
const rememberedMs = 30_000;
const maxRememberedTokens = 10_000;

const developmentAdmin: UserIdentity = {
  kind: 'user',
  idpUserId: 'user_dev',
  sessionId: 'sess_dev',
  name: 'Development admin',
  isOperator: true,
};

/** Verified tokens and signed identities are remembered for min(exp, 30 s), bounded. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { sign, verifySession, isDevMode, now, onToken = () => {} } = options;
  const remembered = new LRUCache<string, Principal>({ max: maxRememberedTokens });
  const anonymous = createRenewed({ kind: 'anonymous' }, options);
  const developer = createRenewed(developmentAdmin, options);

  const verify = async (token: string, verifyToken: VerifySession): Promise<Principal | null> => {
    const session = await verifyToken(token);
    onToken(session ? 'verified' : 'refused');
    if (!session) return null;
    const expiresAtMs = Math.min(session.expiresAtMs, now() + rememberedMs);
    const principal = new Principal(session.identity, expiresAtMs, sign);
    remembered.set(token, principal);
    return principal;
  };
  return {
    anonymous,
    user(authorization) {
      if (authorization === undefined) return isDevMode ? developer() : null;
      const token = bearerToken(authorization);
      if (token === null || !verifySession) return null;
      const known = remembered.get(token);
      if (!known || known.expiresAtMs <= now()) return verify(token, verifySession);
      onToken('remembered');
      return known;
    },
  };
}

/** A principal that never ends, signed anew every 30 s. */
function createRenewed(identity: Identity, { sign, now }: AuthenticatorOptions): () => Principal {
  let current = new Principal(identity, 0, sign);
  return () => {
    if (current.expiresAtMs <= now()) current = new Principal(identity, now() + rememberedMs, sign);
    return current;
  };
}

function bearerToken(authorization: string): string | null {
  const scheme = authorization.slice(0, 7);
  return scheme.toLowerCase() === 'bearer ' ? authorization.slice(7).trim() || null : null;
}
