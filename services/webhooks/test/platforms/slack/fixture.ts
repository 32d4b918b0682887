import type { Reading } from '../../../src/platforms/slack/domain/place.ts';
import type { Names } from '../../../src/platforms/slack/domain/words.ts';

export const bot = {
  appId: 'A1',
  accountId: 'A1/T1',
  botUserId: 'UBOT',
  platformBotId: 'BBOT',
  threadsDirectMessages: false,
};

const people: Readonly<Record<string, string>> = { U1: 'Anna', U2: 'Ben', UBOT: 'Botyard', C1: 'general' };

export const names: Names = {
  person: (id) => people[id] ?? id,
  channel: (id) => people[id] ?? id,
  details: (id) => ({ name: people[id] ?? id }),
};

export const reading: Reading = { bot, names, now: new Date('2025-01-01T00:00:00Z') };

export const saying = (event: Record<string, unknown> = {}) => ({
  type: 'message',
  user: 'U1',
  text: 'Hello',
  ts: '1700000000.000100',
  channel: 'D1',
  channel_type: 'im',
  event_ts: '1700000000.000100',
  ...event,
});

export const eventBody = (event: Record<string, unknown>, envelope: Record<string, unknown> = {}) => ({
  type: 'event_callback',
  event_id: 'Ev1',
  event_time: 1_700_000_000,
  api_app_id: 'A1',
  team_id: 'T1',
  authorizations: [{ team_id: 'T1', enterprise_id: null, is_enterprise_install: false }],
  event,
  ...envelope,
});

export const bytesOf = (body: unknown): Uint8Array => Buffer.from(JSON.stringify(body));
export const formOf = (fields: Record<string, string>): Uint8Array =>
  Buffer.from(new URLSearchParams(fields).toString());
