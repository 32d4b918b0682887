import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '@botyard/shared/secrets/secret';
import { isSignedBy } from '../../domain/signature.ts';

/** The platform's own limit: an older delivery is a copy that somebody sends again. */
const maxAgeSeconds = 5 * 60;

/**
 * The reason to refuse a delivery, `undefined` if it is signed with one of the secrets (version `v0`, over the time and
 * the raw body).
 */
export function reasonToRefuse(
  headers: IncomingHttpHeaders,
  rawBody: Uint8Array,
  secrets: readonly Secret[],
  nowMs = Date.now(),
): string | undefined {
  const timestamp = String(headers['x-slack-request-timestamp'] ?? '');
  const signature = String(headers['x-slack-signature'] ?? '');
  if (!/^\d{1,12}$/.test(timestamp) || !signature.startsWith('v0=')) return 'no signature';
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > maxAgeSeconds) return 'old signature';
  const isSigned = isSignedBy(secrets, signature.slice('v0='.length), `v0:${timestamp}:`, rawBody);
  return isSigned ? undefined : 'wrong signature';
}
