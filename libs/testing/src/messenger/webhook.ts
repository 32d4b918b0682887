/**
 * setWebhook, deleteWebhook and getWebhookInfo, with the real server's checks and words (protocols: webhook
 * management).
 */
import { isIP } from 'node:net';
import { type Bot, badRequest, tooManyRequests, type Webhook } from './types.ts';

export type WebhookRules = {
  /** If true, more than one change a second is 429, as on the real platform. */
  limitsWebhookRate: boolean;
  /** `public`: https on the platform's ports and no reserved host. `any`: for tests and the sandbox on loopback. */
  webhookUrls: 'any' | 'public';
};

/** Kinds that are delivered only if a bot asks for them. */
const notByDefault = ['chat_member', 'message_reaction', 'message_reaction_count'];

const knownKinds = new Set([
  ...notByDefault,
  ...[
    'message',
    'edited_message',
    'channel_post',
    'edited_channel_post',
    'business_connection',
    'business_message',
  ],
  ...['edited_business_message', 'deleted_business_messages', 'guest_message', 'stopped_message_generation'],
  ...['inline_query', 'chosen_inline_result', 'callback_query', 'shipping_query', 'pre_checkout_query'],
  ...['purchased_paid_media', 'poll', 'poll_answer', 'my_chat_member', 'chat_join_request', 'chat_boost'],
  ...['removed_chat_boost', 'managed_bot', 'subscription'],
]);

export function isWanted(bot: Bot, kind: string): boolean {
  return bot.allowedUpdates === undefined ? !notByDefault.includes(kind) : bot.allowedUpdates.includes(kind);
}

export type WebhookChange = { description: string; changed: boolean; dropsPending: boolean };

export function setWebhook(bot: Bot, params: Record<string, unknown>, rules: WebhookRules): WebhookChange {
  const url = String(params.url ?? '');
  if (url === '') return deleteWebhook(bot, params);
  const secretToken = checkedSecret(params.secret_token);
  checkUrl(url, rules);
  if (rules.limitsWebhookRate && Date.now() < bot.nextSetWebhookAt) throw tooManyRequests(1);
  bot.nextSetWebhookAt = Date.now() + 1000;
  const next: Webhook = {
    url,
    secretToken,
    maxConnections: Math.min(100, Math.max(1, Number(params.max_connections ?? 40) || 40)),
    ipAddress: params.ip_address === undefined ? undefined : String(params.ip_address),
  };
  if (params.allowed_updates !== undefined) bot.allowedUpdates = wantedKinds(params.allowed_updates);
  const dropsPending = isTrue(params.drop_pending_updates);
  if (bot.webhook !== undefined && isSame(bot.webhook, next) && !dropsPending) {
    return { description: 'Webhook is already set', changed: false, dropsPending };
  }
  bot.webhook = next;
  return { description: 'Webhook was set', changed: true, dropsPending };
}

export function deleteWebhook(bot: Bot, params: Record<string, unknown>): WebhookChange {
  const dropsPending = isTrue(params.drop_pending_updates);
  const changed = bot.webhook !== undefined;
  bot.webhook = undefined;
  return {
    description: changed ? 'Webhook was deleted' : 'Webhook is already deleted',
    changed,
    dropsPending,
  };
}

export function webhookInfo(bot: Bot, pendingUpdates: number): Record<string, unknown> {
  const webhook = bot.webhook;
  return {
    url: webhook?.url ?? '',
    has_custom_certificate: false,
    pending_update_count: pendingUpdates,
    ...(webhook === undefined ? {} : { max_connections: webhook.maxConnections }),
    ...(webhook?.ipAddress === undefined ? {} : { ip_address: webhook.ipAddress }),
    ...(webhook?.lastErrorAt === undefined
      ? {}
      : {
          last_error_date: Math.floor(webhook.lastErrorAt / 1000),
          last_error_message: webhook.lastErrorMessage,
        }),
    ...(bot.allowedUpdates === undefined ? {} : { allowed_updates: bot.allowedUpdates }),
  };
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true' || value === 'True' || value === '1';
}

function isSame(a: Webhook, b: Webhook): boolean {
  const sameAddress = a.url === b.url && a.ipAddress === b.ipAddress;
  return sameAddress && a.secretToken === b.secretToken && a.maxConnections === b.maxConnections;
}

function checkedSecret(value: unknown): string | undefined {
  const secret = String(value ?? '');
  if (secret.length > 256) throw badRequest('secret token is too long');
  if (!/^[A-Za-z0-9_-]*$/.test(secret)) throw badRequest('secret token contains unallowed characters');
  return secret === '' ? undefined : secret;
}

/** Returns `undefined` for the default kinds, which a list with only unknown names also means. */
export function wantedKinds(value: unknown): string[] | undefined {
  let list: unknown = value;
  if (typeof value === 'string') {
    try {
      list = JSON.parse(value);
    } catch {
      throw badRequest("can't parse allowed updates JSON array");
    }
  }
  const kinds = Array.isArray(list) ? list.map(String).filter((kind) => knownKinds.has(kind)) : [];
  return kinds.length === 0 ? undefined : kinds;
}

function checkUrl(url: string, rules: WebhookRules): void {
  if (!URL.canParse(url)) throw badRequest('invalid webhook URL specified');
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') throw badRequest('invalid webhook URL specified');
  if (rules.webhookUrls === 'any') return;
  if (protocol !== 'https:') throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
  if (!['', '80', '88', '8443'].includes(port)) {
    throw badRequest('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443');
  }
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 6) throw badRequest('bad webhook: IPv6-only addresses are not allowed');
  const address = host === 'localhost' ? '127.0.0.1' : host;
  if (isIP(address) === 4 && isReserved(address))
    throw badRequest(`bad webhook: IP address ${address} is reserved`);
}

function isReserved(address: string): boolean {
  return /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|22[4-9]|2[3-5]\d)\./.test(
    address,
  );
}
