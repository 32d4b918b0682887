import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, importJWK } from 'jose';
import { Secret } from './secret.ts';

const algorithm = 'ECDH-ES';
const encryption = 'A256GCM';

/** Public half (JWK, P-256) of a key pair that was created for one request. */
export interface Recipient {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
}

interface RecipientKeys {
  recipient: Recipient;
  /**
   * Opens one value and then no other: a repeated answer yields nothing, and a recorded one stays sealed even if this
   * process's keys leak later.
   * @throws Error if it was altered, sealed for another recipient, or is not the first.
   */
  open(jwe: string): Promise<Secret>;
}

/**
 * Creates a key pair for one request over the bus. The private half can't leave the process, and is discarded with
 * the answer.
 */
export function createRecipient(): RecipientKeys {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' });
  let privateKey: KeyObject | undefined = pair.privateKey;
  return {
    recipient: { kty: 'EC', crv: 'P-256', x, y },
    open: async (jwe) => {
      const key = privateKey;
      privateKey = undefined;
      if (!key) throw new Error('an answer was opened with this key before');
      const { plaintext } = await compactDecrypt(jwe, key, {
        keyManagementAlgorithms: [algorithm],
        contentEncryptionAlgorithms: [encryption],
      });
      return new Secret(new TextDecoder().decode(plaintext));
    },
  };
}

/**
 * Seals a secret as a compact JWE that only this recipient can open. @throws Error when the key isn't a point of P-256.
 */
export async function sealFor(recipient: Recipient, secret: Secret): Promise<string> {
  const { kty, crv, x, y } = recipient;
  const key = await importJWK({ kty, crv, x, y }, algorithm);
  return await new CompactEncrypt(new TextEncoder().encode(secret.reveal()))
    .setProtectedHeader({ alg: algorithm, enc: encryption })
    .encrypt(key);
}
