import type { IncomingHttpHeaders } from 'node:http';
import { ofPlatforms } from '@botyard/contracts/http/platform';

const always = [
  'accept',
  'accept-encoding',
  'accept-language',
  'content-encoding',
  'content-length',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'last-event-id',
  'user-agent',
];

/** For public prefixes whose routes check a token themselves. Elsewhere session tokens are not forwarded. */
const onOwnTokens = [...always, 'authorization'];

/** The signature headers of the platforms and the identity provider. */
const onWebhooks = [
  ...always,
  ...Object.values(ofPlatforms(({ headers }) => headers)).flat(),
  'svix-id',
  'svix-timestamp',
  'svix-signature',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  // A page for people is only acted on by itself, and not by another site.
  'sec-fetch-site',
];

/** `X-Tenant-Id` is only a wish: the service decides whether the caller reaches that tenant. */
const onApi = [...always, 'x-tenant-id'];

const headersOf = { api: onApi, public: always, 'own tokens': onOwnTokens, webhooks: onWebhooks };
type Surface = keyof typeof headersOf;

/**
 * The headers of a request that are forwarded to a service. All others are dropped, so that clients can't send headers
 * that the gateway sets (REQ-REL-11).
 */
export function forwardedHeaders(inbound: IncomingHttpHeaders, surface: Surface): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of headersOf[surface]) {
    const value = inbound[name];
    if (typeof value === 'string') kept[name] = value;
  }
  return kept;
}
