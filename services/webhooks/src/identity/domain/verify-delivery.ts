import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '@botyard/shared/secrets/secret';
import { Webhook } from 'svix';

/** A delivery whose sender knows the shared secret. */
export interface VerifiedDelivery {
  /** The same for every attempt and replay of the same event. */
  eventId: string;
  /** Milliseconds since 1970: the time at which this attempt was signed, at most 5 minutes from now. */
  signedAt: number;
}

/** Returns `null` if a header is missing, no signature matches, or it was signed more than 5 minutes from now. */
export type VerifyDelivery = (body: Buffer, headers: IncomingHttpHeaders) => VerifiedDelivery | null;

const maxEventIdLength = 255;

/** Implements the identity provider's scheme, over the bytes as received. */
export function createDeliveryVerifier(secret: Secret): VerifyDelivery {
  const webhook = new Webhook(secret.reveal());
  return (body, headers) => {
    const shown = signingHeaders(headers);
    const eventId = shown['svix-id'];
    // The library decodes the bytes as text first, which would change anything except UTF-8.
    if (!shown['svix-signature'] || eventId.length > maxEventIdLength || !isUtf8(body)) return null;
    try {
      webhook.verify(body, { ...shown });
    } catch {
      return null;
    }
    return { eventId, signedAt: Number.parseInt(shown['svix-timestamp'], 10) * 1000 };
  };
}

/** The scheme's neutral header names apply if the vendor's own are missing. */
function signingHeaders(headers: IncomingHttpHeaders) {
  const read = (part: string) => (headers[`svix-${part}`] ?? headers[`webhook-${part}`] ?? '').toString();
  return {
    'svix-id': read('id'),
    'svix-timestamp': read('timestamp'),
    'svix-signature': read('signature'),
  };
}
