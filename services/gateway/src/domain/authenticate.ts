import type { Identity, UserIdentity } from '@botyard/contracts/identity';
import type { SignIdentity } from '@botyard/shared/auth/identity';
import { type HttpError, unauthorized } from '@botyard/shared/http/errors';
import type { LocalRequest, LocalRequestFault } from '@botyard/shared/http/local-request';
import type { RuntimeContext } from '@botyard/shared/service/run-service';
import { LRUCache } from 'lru-cache';
import { Principal } from './principal.ts';
import type { VerifySession } from './session-token.ts';

/** Identifies callers. */
export interface Authenticator {
  /** Verifies an `Authorization` header; `null` means 401. */
  withToken(authorization: string): Principal | null | Promise<Principal | null>;
  /** Decides on a request without that header: the synthetic admin of development mode, or a 401 with advice. */
  withoutToken(req: LocalRequest): Principal | HttpError;
  /** For public prefixes and webhooks. */
  anonymous(): Principal;
}

/** Dependencies of authentication; `now` is milliseconds since the epoch. */
export interface AuthenticatorOptions {
  sign: SignIdentity;
  /** `null` while no identity provider is configured: then no token is valid (REQ-GATE-2). */
  verifySession: VerifySession | null;
  /**
   * Development mode (REQ-GATE-3): the condition under which a request doesn't get the synthetic admin. `null` when the
   * mode is off.
   */
  localRequestFault: LocalRequestFault | null;
  now: () => number;
  /** Called with the outcome of each token. */
  onToken?: (outcome: 'remembered' | 'verified' | 'refused') => void;
}

/** The time until a verified token is verified again, and so the longest delay of a revocation. */
const rememberedMs = 30_000;
const maxRememberedTokens = 10_000;

const developmentAdmin: UserIdentity = {
  kind: 'user',
  idpUserId: 'user_dev',
  sessionId: 'sess_dev',
  name: 'Development admin',
  isOperator: true,
};

/** Verified tokens and signed identities are cached for min(exp, 30 s), with a size limit. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { sign, verifySession, localRequestFault, now, onToken = () => {} } = options;
  const remembered = new LRUCache<string, Principal>({ max: maxRememberedTokens });
  const anonymous = createRenewed({ kind: 'anonymous' }, options);
  const developer = createRenewed(developmentAdmin, options);

  const verify = async (token: string, verifyToken: VerifySession): Promise<Principal | null> => {
    const session = await verifyToken(token);
    onToken(session ? 'verified' : 'refused');
    if (!session) return null;
    const expiresAtMs = Math.min(session.expiresAtMs, now() + rememberedMs);
    const principal = new Principal(session.identity, expiresAtMs, sign, session.grant);
    remembered.set(token, principal);
    return principal;
  };
  return {
    anonymous,
    withoutToken(req) {
      if (!localRequestFault) return unauthorized();
      const fault = localRequestFault(req);
      return fault ? notOfThisMachine(fault) : developer();
    },
    withToken(authorization) {
      const token = bearerToken(authorization);
      if (token === null || !verifySession) return null;
      const session = remembered.get(token);
      if (!session || session.expiresAtMs <= now()) return verify(token, verifySession);
      onToken('remembered');
      return session;
    },
  };
}

function notOfThisMachine(fault: string): HttpError {
  return unauthorized(
    `development mode only answers requests from this machine without a session token, and ${fault}: call it at localhost directly, or send a token as Authorization: Bearer`,
  );
}

/** A principal that never expires and is signed again every 30 s. */
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

/** Counts tokens by outcome. */
export function countTokens({ metrics }: RuntimeContext): (outcome: string) => void {
  const tokens = metrics.counter('gateway_tokens_total', 'Session tokens by outcome', ['outcome']);
  return (outcome) => tokens.inc({ outcome });
}
