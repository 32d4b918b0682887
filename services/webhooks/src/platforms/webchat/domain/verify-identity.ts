import { unauthorized } from '@botyard/shared/http/errors';
import { Secret } from '@botyard/shared/secrets/secret';
import { jwtVerify } from 'jose';
import { z } from 'zod';
import { isSignedBy } from '../../domain/signature.ts';

/** A site's claim about its visitor: a `userId` with its HMAC, or a JWT. */
export const ClaimedIdentity = z.union([
  z.object({ jwt: z.string().min(1).max(4000) }),
  z.object({ userId: z.string().min(1).max(200), hmac: z.string().regex(/^[0-9a-f]{64}$/i) }),
]);
export type ClaimedIdentity = z.output<typeof ClaimedIdentity>;

interface VerifiedIdentity {
  userId: string;
  name: string | undefined;
  /** When the session ends, at the latest. */
  expiresAt: Date;
}

const longestMs = 24 * 3600_000;
const toleranceSeconds = 30;
const Claims = z.object({
  sub: z.string().min(1).max(200),
  iat: z.number().int(),
  exp: z.number().int(),
  name: z.string().trim().min(1).max(100).optional().catch(undefined),
});

/**
 * Whether the site vouches for the visitor. An HMAC has no end of its own: the session ends after a day, and the page
 * says again who is there. @throws HttpError 401.
 */
export async function verifyIdentity(
  claimed: ClaimedIdentity,
  secret: string | undefined,
  now = Date.now(),
): Promise<VerifiedIdentity> {
  if (secret === undefined) throw unauthorized('this chat verifies no visitors: set its identitySecret');
  if ('jwt' in claimed) return await verifyJwt(claimed.jwt, secret, now);
  if (!isSignedBy([new Secret(secret)], claimed.hmac, claimed.userId))
    throw unauthorized('the hmac is not that of the userId');
  return { userId: claimed.userId, name: undefined, expiresAt: new Date(now + longestMs) };
}

async function verifyJwt(jwt: string, secret: string, now: number): Promise<VerifiedIdentity> {
  const { payload } = await jwtVerify(jwt, new TextEncoder().encode(secret), {
    algorithms: ['HS256'],
    clockTolerance: toleranceSeconds,
    currentDate: new Date(now),
    requiredClaims: ['sub', 'iat', 'exp'],
  }).catch((error: unknown) => {
    throw unauthorized('the JWT is not valid', { cause: error });
  });
  const claims = Claims.safeParse(payload);
  if (!claims.success) throw unauthorized('the JWT needs sub, iat and exp');
  const { sub, iat, exp, name } = claims.data;
  if ((exp - iat) * 1000 > longestMs || iat * 1000 > now + toleranceSeconds * 1000)
    throw unauthorized('the JWT is valid for more than 24 hours');
  return { userId: sub, name, expiresAt: new Date(exp * 1000) };
}
