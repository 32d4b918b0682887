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
  'transfer-encoding',
  'user-agent',
];

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

/**
 * The headers of a request that a service may see; everything else is dropped, so that no header which the
 * gateway sets can come from a client (reliability, rule 11).
 */
export function forwardedHeaders(
  inbound: IncomingHttpHeaders,
  surface: 'api' | 'webhooks',
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of surface === 'webhooks' ? onWebhooks : always) {
    const value = inbound[name];
    if (typeof value === 'string') kept[name] = value;
  }
  return kept;
}
