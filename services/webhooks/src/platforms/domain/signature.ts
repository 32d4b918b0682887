import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@botyard/shared/secrets/secret';

/** Whether a signature is the HMAC-SHA256 of these bytes, in hex, with one of the secrets. */
export function isSignedBy(
  secrets: readonly Secret[],
  signature: string,
  ...signed: readonly (string | Uint8Array)[]
): boolean {
  if (!/^[\da-f]{64}$/i.test(signature)) return false;
  const shown = Buffer.from(signature, 'hex');
  return secrets.some((secret) => {
    const expected = createHmac('sha256', secret.reveal());
    for (const part of signed) expected.update(part);
    return timingSafeEqual(expected.digest(), shown);
  });
}
