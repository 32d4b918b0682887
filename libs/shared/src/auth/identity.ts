import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** Header that carries the gateway's signed identity to a service (reliability, rule 11). */
export const identityHeader = 'x-botyard-identity';

const issuer = 'botyard-gateway';
const algorithm = 'EdDSA';
/** Seconds for which a service accepts an identity. */
export const identityTtlSeconds = 60;

/** Who calls, as the gateway established it. `anonymous` comes from a public prefix or a webhook. */
export const Identity = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('anonymous') }),
  z.object({
    kind: z.literal('user'),
    idpUserId: z.string().min(1),
    sessionId: z.string().min(1),
    email: z.string().optional(),
    name: z.string().optional(),
    /** The organization that is active in the session, with its role in the identity provider's words. */
    org: z.object({ id: z.string(), role: z.string() }).optional(),
    isOperator: z.boolean(),
  }),
]);
export type Identity = z.output<typeof Identity>;
export type UserIdentity = Extract<Identity, { kind: 'user' }>;

/** Keys travel in settings as base64url of their JWK. */
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

/** The gateway's half: signs an identity for one service, for 60 s. */
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

/** The service's half: `null` for a missing, forged, expired or foreign identity. Verified ones are remembered until they expire. */
export async function createIdentityVerifier(verifyKey: string, audience: string): Promise<VerifyIdentity> {
  const key = await importJWK(decodeKey(verifyKey), algorithm);
  const verified = new LRUCache<string, Identity>({ max: 5000 });
  return async (token) => {
    if (!token || token.length > 8192) return null;
    const known = verified.get(token);
    if (known) return known;
    try {
      const { payload } = await jwtVerify(token, key, {
        issuer,
        audience,
        algorithms: [algorithm],
        clockTolerance: 5,
      });
      const identity = Identity.parse(payload.id);
      const ttl = ((payload.exp ?? 0) + 5) * 1000 - Date.now();
      if (ttl > 0) verified.set(token, identity, { ttl });
      return identity;
    } catch {
      return null;
    }
  };
}
