import type { Secret } from '@botyard/shared/secrets/secret';
import { isSignedBy } from '../../../../domain/signature.ts';
import type { Triple } from '../mail-form.ts';

/** The time for which the mailer repeats a delivery, and how far its clock may be ahead. */
const maxAgeSeconds = 8 * 3600;
const maxAheadSeconds = 300;
/** Real tokens have 50 characters. */
const tokenShape = /^[\x21-\x7e]{1,256}$/;

/**
 * Checks whether the mailer made this signature with the key: HMAC-SHA256 of timestamp and token. A subaccount's
 * delivery has a second signature, by the key of the account above it; either is valid. It covers no body, so it must
 * be recent, and the caller has to accept each only once. Returns the reason of a failure, for the log.
 */
export function faultOfTriple(
  triple: Triple | undefined,
  key: Secret,
  nowMs = Date.now(),
): string | undefined {
  if (!triple) return 'no signature';
  const { timestamp, token } = triple;
  if (!/^\d{1,12}$/.test(timestamp) || !tokenShape.test(token)) return 'malformed signature';
  const signatures = [triple.signature, triple.parentSignature ?? ''];
  const isSigned = signatures.some((signature) => isSignedBy([key], signature, timestamp, token));
  if (!isSigned) return 'wrong signature';
  const ageSeconds = nowMs / 1000 - Number(timestamp);
  return ageSeconds > maxAgeSeconds || ageSeconds < -maxAheadSeconds ? 'stale signature' : undefined;
}
