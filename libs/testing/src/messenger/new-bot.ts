import { createHash, createHmac } from 'node:crypto';
import type { Bot } from './types.ts';

export type NewBot = {
  token: string;
  username?: string;
  firstName?: string;
  canReadAllGroupMessages?: boolean;
};

/**
 * Counters start from the clock, not from 1: a sandbox that lost some or all of its state must not reuse numbers that
 * Botyard has already seen.
 */
export function countersNow(): Pick<Bot, 'nextUpdateId' | 'nextMessageId'> {
  const tenths = Math.floor((Date.now() - Date.UTC(2026, 0, 1)) / 100);
  return { nextUpdateId: tenths, nextMessageId: Math.floor(tenths / 10) };
}

/** The id is the token's number; missing names are derived from it. */
export function newBot(fields: NewBot): Bot {
  const id = Number(fields.token.split(':', 1)[0]);
  return {
    id,
    token: fields.token,
    username: fields.username ?? `bot${id}`,
    firstName: fields.firstName ?? fields.username ?? `bot${id}`,
    canReadAllGroupMessages: fields.canReadAllGroupMessages ?? false,
    webhook: undefined,
    allowedUpdates: undefined,
    nextSetWebhookAt: 0,
    commands: [],
    commandsByLanguage: {},
    openCallbacks: [],
    ...countersNow(),
    chats: new Map(),
  };
}

/**
 * The fields that a bot's login widget passes to the page, or adds to the address that it returns to. `auth_date`
 * defaults to now; absent fields are not signed.
 */
export function signLogin(
  botToken: string,
  person: Readonly<Record<string, string | number>>,
): Record<string, string> {
  const widgetFields = { auth_date: Math.floor(Date.now() / 1000), ...person };
  const fields = Object.fromEntries(Object.entries(widgetFields).map(([key, value]) => [key, String(value)]));
  const lines = Object.entries(fields)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`);
  const key = createHash('sha256').update(botToken).digest();
  return { ...fields, hash: createHmac('sha256', key).update(lines.join('\n')).digest('hex') };
}
