import type { IncomingHttpHeaders } from 'node:http';

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
  'transfer-encoding',
  'user-agent',
];

/** Beneath the public prefixes whose routes check a token of their own; elsewhere a session's token stays here. */
const onOwnTokens = [...always, 'authorization'];

/** What the platforms sign their deliveries with. */
const onWebhooks = [
  ...always,
  'x-messenger-bot-api-secret-token',
  'x-telegram-bot-api-secret-token',
  'svix-id',
  'svix-timestamp',
  'svix-signature',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
];

/** `X-Tenant-Id` is a wish: the service that is asked decides whether the caller reaches that tenant. */
const onApi = [...always, 'x-tenant-id'];

const headersOf = { api: onApi, public: always, 'own tokens': onOwnTokens, webhooks: onWebhooks };
type Surface = keyof typeof headersOf;

/**
 * The headers of a request that a service may see; everything else is dropped, so that no header which the
 * gateway sets can come from a client (REQ-REL-11).
 */
export function forwardedHeaders(inbound: IncomingHttpHeaders, surface: Surface): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of headersOf[surface]) {
    const value = inbound[name];
    if (typeof value === 'string') kept[name] = value;
  }
  return kept;
}
