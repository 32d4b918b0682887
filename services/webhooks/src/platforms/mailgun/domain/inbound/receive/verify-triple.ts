import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { Triple } from '../mail-form.ts';

/** As long as the mailer repeats a delivery, and as far as its clock may be ahead of ours. */
const maxAgeSeconds = 8 * 3600;
const maxAheadSeconds = 300;
/** The real ones have 50 characters. */
const tokenShape = /^[\x21-\x7e]{1,256}$/;

/**
 * Whether the mailer made this signature with the key: HMAC-SHA256 of timestamp and token. A subaccount's delivery has
 * a second one, by the key of the account above; either is good. It covers no body, so that it must be fresh, and the
 * caller sees to it that each is accepted once. Says why not, for the log.
 */
export function faultOfTriple(
  triple: Triple | undefined,
  key: Secret,
  nowMs = Date.now(),
): string | undefined {
  if (!triple) return 'no signature';
  const { timestamp, token } = triple;
  if (!/^\d{1,12}$/.test(timestamp) || !tokenShape.test(token)) return 'malformed signature';
  const expected = createHmac('sha256', key.reveal()).update(`${timestamp}${token}`).digest();
  const isSigned = isSame(triple.signature, expected);
  const isSignedAbove = triple.parentSignature !== undefined && isSame(triple.parentSignature, expected);
  if (!isSigned && !isSignedAbove) return 'wrong signature';
  const ageSeconds = nowMs / 1000 - Number(timestamp);
  return ageSeconds > maxAgeSeconds || ageSeconds < -maxAheadSeconds ? 'stale signature' : undefined;
}

/** The digits may be in either case: they are compared as bytes. */
function isSame(signature: string, expected: Buffer): boolean {
  return /^[\da-f]{64}$/i.test(signature) && timingSafeEqual(Buffer.from(signature, 'hex'), expected);
}
