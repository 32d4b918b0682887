import { Identity } from '@botyard/contracts/identity';
import {
  type CryptoKey,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { createCountedWarning } from '../log/counted-warning.ts';
import type { Log } from '../log/log.ts';

/** Header that carries the gateway's signed identity to a service (REQ-REL-11). */
export const identityHeader = 'x-botyard-identity';

const issuer = 'botyard-gateway';
const algorithm = 'EdDSA';
/** Seconds for which a service accepts an identity. */
const identityTtlSeconds = 60;
/**
 * Tolerated clock difference between the gateway and a service, in seconds. It extends an identity's validity in both
 * directions.
 */
const identityLeewaySeconds = 30;

/** Settings hold keys as the base64url of their JWK. */
function decodeKey(setting: string): JWK {
  return JSON.parse(Buffer.from(setting, 'base64url').toString('utf8')) as JWK;
}

export async function generateIdentityKeys(): Promise<{ signingKey: string; verifyKey: string }> {
  const pair = await generateKeyPair(algorithm, { extractable: true });
  const encode = async (key: CryptoKey) =>
    Buffer.from(JSON.stringify(await exportJWK(key))).toString('base64url');
  return { signingKey: await encode(pair.privateKey), verifyKey: await encode(pair.publicKey) };
}

export type SignIdentity = (identity: Identity, audience: string) => Promise<string>;

/** The gateway's half: signs an identity for one service, valid for 60 s. */
export async function createIdentitySigner(signingKey: string): Promise<SignIdentity> {
  const key = await importJWK(decodeKey(signingKey), algorithm);
  return (identity, audience) =>
    new SignJWT({ id: identity })
      .setProtectedHeader({ alg: algorithm })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${identityTtlSeconds}s`)
      .sign(key);
}

export type VerifyIdentity = (token: string | undefined) => Promise<Identity | null>;

const remedy =
  "Compare the clocks of the gateway's machine and of this one: have both set by NTP. See `clock_offset_seconds`.";

/**
 * The service's half: returns `null` for a missing, forged, expired or foreign identity. Verified identities are
 * cached until they expire. A genuine identity that is refused only for its time is logged, once a minute.
 */
export async function createIdentityVerifier(
  verifyKey: string,
  audience: string,
  log?: Log,
): Promise<VerifyIdentity> {
  const key = await importJWK(decodeKey(verifyKey), algorithm);
  const verified = new LRUCache<string, Identity>({ max: 5000 });
  const warn = log && createCountedWarning(log, 'identities of the gateway were refused');
  const refuse = (cause: string) => {
    warn?.(cause, { remedy });
    return null;
  };
  return async (token) => {
    if (!token || token.length > 8192) return null;
    const verifiedIdentity = verified.get(token);
    if (verifiedIdentity) return verifiedIdentity;
    try {
      const { payload } = await jwtVerify(token, key, {
        issuer,
        audience,
        algorithms: [algorithm],
        clockTolerance: identityLeewaySeconds,
      });
      const aheadMs = (payload.iat ?? 0) * 1000 - Date.now();
      if (aheadMs > identityLeewaySeconds * 1000) return refuse('signed in the future, by the clock here');
      const identity = Identity.parse(payload.id);
      const ttl = ((payload.exp ?? 0) + identityLeewaySeconds) * 1000 - Date.now();
      if (ttl > 0) verified.set(token, identity, { ttl });
      return identity;
    } catch (error) {
      // The signature was verified first, so a stranger can't cause this line.
      if (error instanceof errors.JWTExpired) return refuse('expired, by the clock here');
      return null;
    }
  };
}
