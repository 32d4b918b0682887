import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@botyard/shared/secrets/secret';
import { z } from 'zod';

/** An account that the platform has just confirmed. */
export interface SignedLogin {
  platformUserId: string;
  name: string;
  username: string | null;
  /** The signature, which identifies a second use. */
  hash: string;
}

/** Age limit of signed data: long enough for the redirect, and too short to be useful if stolen. */
export const freshForSeconds = 300;
const leewaySeconds = 30;

const Fields = z.looseObject({
  id: z.string().regex(/^[1-9]\d{0,15}$/),
  auth_date: z.string().regex(/^\d{1,11}$/),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  first_name: z.string().default(''),
  last_name: z.string().default(''),
  username: z.string().optional(),
});

/**
 * The login widget's fields, verified by the platform's rule: a keyed hash over all received fields except the hash,
 * sorted, as `key=value` lines; the key is the SHA-256 of the bot's token. Returns `null` for a wrong signature, or one
 * that is more than 5 minutes old or in the future. The values must not contain line breaks.
 */
export function verifySignedLogin(
  fields: Readonly<Record<string, string>>,
  botToken: Secret,
  nowMs: number,
): SignedLogin | null {
  const parsed = Fields.safeParse(fields);
  if (!parsed.success || !isSigned(fields, parsed.data.hash, botToken)) return null;
  const { id, auth_date: signedAt, hash, first_name: first, last_name: last, username } = parsed.data;
  const ageSeconds = nowMs / 1000 - Number(signedAt);
  if (ageSeconds > freshForSeconds || ageSeconds < -leewaySeconds) return null;
  return {
    platformUserId: id,
    name: `${first} ${last}`.trim().slice(0, 200).toWellFormed(),
    username: username?.slice(0, 64).toWellFormed() || null,
    hash,
  };
}

function isSigned(fields: Readonly<Record<string, string>>, hash: string, botToken: Secret): boolean {
  const key = createHash('sha256').update(botToken.reveal()).digest();
  const due = createHmac('sha256', key).update(dataCheckString(fields)).digest();
  return timingSafeEqual(due, Buffer.from(hash, 'hex'));
}

/** The keys consist of `a-z` and `_` only, so every sort order is the same. */
export const dataCheckString = (fields: Readonly<Record<string, string>>): string =>
  Object.keys(fields)
    .filter((key) => key !== 'hash')
    .sort()
    .map((key) => `${key}=${fields[key]}`)
    .join('\n');
