import { createLocalJWKSet, errors, importJWK, type JWK, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';

const maxKeys = 100;
const text = z.string().max(2000);

/** Attributes of a key, in addition to the key itself. */
const about = { kid: text.optional(), use: z.literal('sig').optional(), key_ops: z.array(text).optional() };
const RsaKey = z.object({
  kty: z.literal('RSA'),
  n: text,
  e: text,
  alg: z.literal('RS256').optional(),
  ...about,
});
const EcKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: text,
  y: text,
  alg: z.literal('ES256').optional(),
  ...about,
});
const EdKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: text,
  alg: z.enum(['EdDSA', 'Ed25519']).optional(),
  ...about,
});
/** Only these fields are kept, so that a private key published by mistake is dropped. */
const PublicKey = z.discriminatedUnion('kty', [RsaKey, EcKey, EdKey]);
const KeySet = z.object({ keys: z.array(z.unknown()).max(maxKeys) });

const algorithms = { RSA: 'RS256', EC: 'ES256', OKP: 'EdDSA' } as const;
/** 2048 bits in base64url; jose refuses shorter keys. */
const leastRsaLength = 342;

/**
 * The usable keys in an identity provider's answer: public signature keys for the algorithms that session tokens may
 * have. @throws when there is none, so that an empty set, or a proxy's page, never replaces good keys.
 */
export async function readKeySet(answer: unknown): Promise<JWK[]> {
  const set = KeySet.safeParse(answer);
  if (!set.success) throw new Error(`the answer is not a key set of at most ${maxKeys} keys`);
  const read = await Promise.all(set.data.keys.map(readKey));
  const usable = read.filter((key) => key !== undefined);
  if (usable.length === 0) throw new Error('the key set has no usable key');
  return usable;
}

async function readKey(jwk: unknown): Promise<JWK | undefined> {
  const { data: key } = PublicKey.safeParse(jwk);
  if (!key || (key.key_ops && !key.key_ops.includes('verify'))) return undefined;
  if (key.kty === 'RSA' && key.n.length < leastRsaLength) return undefined;
  try {
    const usable = key as JWK;
    await importJWK(usable, algorithms[key.kty]);
    return usable;
  } catch {
    return undefined;
  }
}

/** How long a key stays valid after a newer set has dropped it. */
const missingKeyGoodForMs = 5 * 60_000;

/**
 * The keys of the newest set and, for 5 more minutes, the keys that it has dropped. So no user is locked out if a
 * provider's servers disagree about the keys, and a withdrawn key still expires within minutes.
 */
export class SigningKeys {
  readonly #now: () => number;
  #newest: readonly JWK[] = [];
  #missing: readonly { key: JWK; since: number }[] = [];
  #inNewest = finder([]);
  #inMissing = finder([]);

  constructor(now: () => number) {
    this.#now = now;
  }

  replace(keys: readonly JWK[]): void {
    const now = this.#now();
    const candidates = [...this.#newest.map((key) => ({ key, since: now })), ...this.#missing];
    // A key replaces an old one with the same name, because the two can't be distinguished.
    this.#setMissing(candidates.filter(({ key }) => !keys.some((one) => isSame(one, key))));
    this.#newest = keys;
    this.#inNewest = finder(keys);
    this.#forgetOld();
  }

  /** Whether an older set has keys that the newest one lacks. */
  get hasMissing(): boolean {
    this.#forgetOld();
    return this.#missing.length > 0;
  }

  /** For `jwtVerify`. @throws JWKSNoMatchingKey. */
  readonly get: JWTVerifyGetKey = async (header, token) => {
    try {
      return await this.#inNewest(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !this.hasMissing) throw error;
      return await this.#inMissing(header, token);
    }
  };

  #forgetOld(): void {
    const now = this.#now();
    const good = this.#missing.filter(({ since }) => now - since < missingKeyGoodForMs);
    if (good.length < this.#missing.length) this.#setMissing(good);
  }

  #setMissing(missing: readonly { key: JWK; since: number }[]): void {
    this.#missing = missing;
    this.#inMissing = finder(missing.map(({ key }) => key));
  }
}

const finder = (keys: readonly JWK[]): JWTVerifyGetKey => createLocalJWKSet({ keys: [...keys] });

const isSame = (one: JWK, other: JWK): boolean =>
  one.kid === undefined ? one.n === other.n && one.x === other.x && one.y === other.y : one.kid === other.kid;
