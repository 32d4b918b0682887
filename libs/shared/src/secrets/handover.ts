import { CompactEncrypt, compactDecrypt, exportJWK, generateKeyPair, importJWK } from 'jose';
import { Secret } from './secret.ts';

const algorithm = 'ECDH-ES';
const encryption = 'A256GCM';

/** Public half (JWK, P-256) of the process that a secret is handed to. */
export interface Recipient {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
}

export interface RecipientKeys {
  recipient: Recipient;
  /** @throws Error when the value was altered or sealed for somebody else. */
  open(jwe: string): Promise<Secret>;
}

/** Makes the key pair of a process that asks for secrets over the bus. The private half can't leave it, and ends with it. */
export async function createRecipient(): Promise<RecipientKeys> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { crv: 'P-256' });
  const { x = '', y = '' } = await exportJWK(publicKey);
  return {
    recipient: { kty: 'EC', crv: 'P-256', x, y },
    open: async (jwe) => {
      const { plaintext } = await compactDecrypt(jwe, privateKey, {
        keyManagementAlgorithms: [algorithm],
        contentEncryptionAlgorithms: [encryption],
      });
      return new Secret(new TextDecoder().decode(plaintext));
    },
  };
}

/** Seals a secret as a compact JWE that only this recipient can open. @throws Error when the key isn't a point of P-256. */
export async function sealFor(recipient: Recipient, secret: Secret): Promise<string> {
  const { kty, crv, x, y } = recipient;
  const key = await importJWK({ kty, crv, x, y }, algorithm);
  return await new CompactEncrypt(new TextEncoder().encode(secret.reveal()))
    .setProtectedHeader({ alg: algorithm, enc: encryption })
    .encrypt(key);
}
