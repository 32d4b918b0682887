import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '@botyard/shared/secrets/secret';
import { Webhook } from 'svix';

/** A delivery whose sender knows our secret. */
export interface VerifiedDelivery {
  /** The same for every attempt and replay of the same event. */
  eventId: string;
  /** Milliseconds since 1970: when this attempt was signed, at most 5 minutes from now. */
  signedAt: number;
}

/** `null`: a header is missing, no signature fits, or it was signed more than 5 minutes from now. */
export type VerifyDelivery = (body: Buffer, headers: IncomingHttpHeaders) => VerifiedDelivery | null;

const maxEventIdLength = 255;

/** The identity provider's scheme, over the bytes as they came. */
export function createDeliveryVerifier(secret: Secret): VerifyDelivery {
  const webhook = new Webhook(secret.reveal());
  return (body, headers) => {
    const shown = signingHeaders(headers);
    const eventId = shown['svix-id'];
    // The library turns the bytes into text first, which other bytes than UTF-8 would not survive unchanged.
    if (!shown['svix-signature'] || eventId.length > maxEventIdLength || !isUtf8(body)) return null;
    try {
      webhook.verify(body, { ...shown });
    } catch {
      return null;
    }
    return { eventId, signedAt: Number.parseInt(shown['svix-timestamp'], 10) * 1000 };
  };
}

/** The scheme's neutral names count where the vendor's own are missing. */
function signingHeaders(headers: IncomingHttpHeaders) {
  const read = (part: string) => (headers[`svix-${part}`] ?? headers[`webhook-${part}`] ?? '').toString();
  return {
    'svix-id': read('id'),
    'svix-timestamp': read('timestamp'),
    'svix-signature': read('signature'),
  };
}
