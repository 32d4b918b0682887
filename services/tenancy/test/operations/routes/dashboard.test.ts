import { randomUUID } from 'node:crypto';
import { turnCompleted } from '@botyard/contracts/events/agents';
import type { DataOf } from '@botyard/contracts/events/definition';
import type { DashboardActivity, DashboardStatus } from '@botyard/contracts/http/dashboard';
import { firstSample } from '@botyard/testing/samples';
import type { TestService } from '@botyard/testing/service-harness';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BotHistory } from '../../bot-history.ts';
import { ChatSimulator } from '../../chat-simulator.ts';
import {
  callOk,
  openPlatform,
  type Platform,
  startAgents,
  startKeys,
  startUsage,
  startWebhooks,
} from '../../whole-platform.ts';

let platform: Platform;
let services: Record<'agents' | 'usage' | 'keys' | 'webhooks', TestService>;

beforeAll(async () => {
  platform = await openPlatform();
  const [agents, usage, keys, webhooks] = await Promise.all([
    startAgents(platform),
    startUsage(platform),
    startKeys(platform),
    startWebhooks(platform, 'https://hooks.example.com'),
  ]);
  services = { agents, usage, keys, webhooks };
});
afterAll(() => platform?.close());

// biome-ignore lint/suspicious/noExplicitAny: each test says what it reads
const get = <Shape = any>(below: string, as = platform.acme.admin, status = 200): Promise<Shape> =>
  callOk(platform.tenancy, 'GET', `/api/dashboard${below}`, { as, status });

async function use(change: Partial<DataOf<typeof turnCompleted>>): Promise<void> {
  await platform.harness.publish(turnCompleted, {
    ...firstSample(turnCompleted),
    turnId: uuidv7(),
    ...change,
  });
  await platform.harness.settled('usage', 'agents');
}

test('a known history gives exact figures by hour and by day, without gaps, of the own tenant alone', async () => {
  const bot = await new ChatSimulator(platform).createBot(platform.acme);
  const foreign = await new ChatSimulator(platform).createBot(platform.other);
  const chat = await new BotHistory(platform.harness, bot).open();
  const elsewhere = await new BotHistory(platform.harness, foreign).open();
  await elsewhere.addMessage('2026-03-02T10:00:00.000Z', 'ravi');
  const first = await chat.addMessage('2026-03-02T10:59:59.999Z', 'anna');
  await chat.addReply('2026-03-02T11:00:00.000Z', [first]);
  const second = await chat.addMessage('2026-03-02T12:00:00.000Z', 'anna');
  await chat.addReply('2026-03-02T12:00:01.000Z', [second], { outcome: 'apologized', status: 'failed' });
  await use({ ...bot, inputTokens: 10, outputTokens: 5, completedAt: '2026-03-02T11:00:00.000Z' });
  const span = 'from=2026-03-02T10:30:00Z&to=2026-03-02T12:30:00Z';
  const hours = await get<DashboardActivity>(`/activity?unit=hour&${span}`);
  const figures = ({
    at,
    messagesIn,
    messagesOut,
    answers,
    failures,
    inputTokens,
  }: DashboardActivity['series'][0]) => [
    at.slice(11, 16),
    messagesIn,
    messagesOut,
    answers,
    failures,
    inputTokens,
  ];
  expect(hours.series.map(figures)).toEqual([
    ['10:00', 1, 0, 0, 0, 0],
    ['11:00', 0, 1, 1, 0, 10],
    ['12:00', 1, 0, 0, 1, 0],
  ]);
  expect(hours.totals).toMatchObject({
    messagesIn: 2,
    messagesOut: 1,
    answers: 1,
    failures: 1,
    outputTokens: 5,
  });
  const days = await get<DashboardActivity>('/activity?from=2026-03-01T00:00:00Z&to=2026-03-03T00:00:00Z');
  expect(days.series.map(figures)).toEqual([
    ['00:00', 0, 0, 0, 0, 0],
    ['00:00', 2, 1, 1, 1, 10],
  ]);
  expect(days.tenantIds).toEqual([platform.acme.tenantId]);
  expect(days.unavailable).toEqual([]);
});

test('a moment far from the present is 400', async () => {
  for (const moment of ['9999-12-31T23:59:59Z', '0000-01-01T00:00:00Z', '1999-12-31T23:59:59Z']) {
    for (const below of ['/activity', '/tenants/activity']) {
      for (const unit of ['hour', 'day']) {
        for (const name of ['from', 'to'])
          await get(`${below}?unit=${unit}&${name}=${moment}`, undefined, 400);
      }
    }
  }
  const first = await get<DashboardActivity>('/activity?to=2000-01-01T00:00:00Z');
  expect([first.from, first.to]).toEqual(['1999-12-02T00:00:00.000Z', '2000-01-01T00:00:00.000Z']);
});

test('too much time, or none, is 400', async () => {
  await get('/activity?unit=hour&from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z', undefined, 400);
  await get('/activity?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', undefined, 400);
});

test('the status shows bots, integrations, keys, quota, held work, and problems that need attention', async () => {
  const { tenantId, admin } = platform.other;
  const { harness } = platform;
  const { keyId } = await callOk(services.keys, 'POST', `/api/keys/${tenantId}`, {
    as: admin,
    body: { provider: 'openai', apiKey: 'sk-0123456789abcdef' },
  });
  await harness.asOwner(
    `update keys.keys set status = 'invalid', invalidated_by = 'provider' where key_id = $1`,
    [keyId],
  );
  await callOk(services.usage, 'POST', `/api/usage/${tenantId}/quota/initialize`, {
    as: admin,
    body: { limits: { messages: 5 } },
  });
  const bot = await new ChatSimulator(platform).createBot(platform.other);
  const conversationId = randomUUID();
  await harness.asOwner(
    `insert into agents.conversations (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform, place, ready_at)
     values ($1, $2, $3, $4, $3, 'messenger', '{"platformChatId": "1", "kind": "group", "title": "T"}', now() + interval '1 day')`,
    [bot.tenantId, conversationId, uuidv7(), bot.botId],
  );
  for (const [seq, status] of [
    [1, 'queued'],
    [2, 'dead'],
  ] as const)
    await harness.asOwner(
      `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, status, received_at)
       values ($1, $2, $3, 'in', $4, 'Hi', 'text', $5, now() - interval '1 hour')`,
      [bot.tenantId, uuidv7(), conversationId, seq, status],
    );
  const status = await get<DashboardStatus>('/status', admin);
  expect(status).toMatchObject({
    tenantId,
    work: { conversationsWaiting: 1, messagesWaiting: 1, deadLetters: 1 },
    keys: { active: 0, invalid: 1, resting: 0 },
    quota: { limits: { messages: 5 }, remaining: { messages: 5 }, exceeded: [] },
    sending: { repliesWaiting: 0, repliesFailed: 0 },
    unavailable: [],
  });
  expect(status.bots.all).toBeGreaterThan(0);
  expect(status.problems).toEqual([
    { kind: 'deadLetters', count: 1 },
    { kind: 'keysInvalid', count: 1 },
    { kind: 'workHeld', count: 1 },
  ]);
});

test('the lists over tenants contain the administered ones, and narrow to no other', async () => {
  const { acme, other } = platform;
  const all = await get<DashboardStatus[]>('/tenants/status');
  expect(all.map(({ tenantId }) => tenantId)).toEqual([acme.tenantId]);
  const activity = await get<DashboardActivity>('/tenants/activity', other.admin);
  expect(activity.tenantIds).toEqual([other.tenantId]);
  await get(`/tenants/status?tenantId=${other.tenantId}`, acme.admin, 403);
  await get(`/tenants/activity?tenantId=${other.tenantId}`, acme.admin, 403);
  await get('/tenants/status', acme.member, 403);
  await get('/tenants/activity', acme.member, 403);
});

test('an operator who administers no tenant sees all of them, page by page, or a named one', async () => {
  const { acme, other } = platform;
  const { operator } = acme;
  const ids = (rows: readonly DashboardStatus[]) => rows.map(({ tenantId }) => tenantId);
  const all = ids(await get<DashboardStatus[]>('/tenants/status', operator));
  expect(all).toEqual(expect.arrayContaining([acme.tenantId, other.tenantId]));
  const [newest] = await get<DashboardStatus[]>('/tenants/status?limit=1', operator);
  expect(newest?.tenantId).toBe(all[0]);
  const activity = await get<DashboardActivity>('/tenants/activity', operator);
  expect(activity.tenantIds).toEqual(all);
  expect(ids(await get(`/tenants/status?tenantId=${other.tenantId}`, operator))).toEqual([other.tenantId]);
  await get('/tenants/status?tenantId=x', operator, 403);
});

test('a tenant with 1,000 bots and 100,000 messages has its dashboard in good time', async () => {
  const { tenantId } = platform.acme;
  const { harness } = platform;
  await harness.asOwner(
    `insert into tenancy.bots (tenant_id, bot_id, name, agent_ids, is_enabled, join_window_ms)
     select $1, gen_random_uuid(), 'Bot ' || n, '{}', true, 0 from generate_series(1, 1000) n`,
    [tenantId],
  );
  await harness.asOwner(
    `with c as (insert into agents.conversations (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform, place)
       select $1, gen_random_uuid(), gen_random_uuid(), bot_id, bot_id, 'messenger', '{"platformChatId":"1","kind":"private","title":"T"}'
       from tenancy.bots where tenant_id = $1 returning conversation_id)
     insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, status, received_at, created_at)
     select $1, uuidv7(make_interval(secs => -n * 25000.0)), conversation_id, 'in', n, 'Hi', 'text', 'answered',
       now() - make_interval(secs => n * 25000.0), now() - make_interval(secs => n * 25000.0)
     from c cross join generate_series(1, 100) n`,
    [tenantId],
  );
  await harness.asOwner('analyze agents.messages, agents.conversations');
  const timed = async (below: string) => {
    await get(below);
    const begin = performance.now();
    await get(below);
    return Math.round(performance.now() - begin);
  };
  const figures = { statusMs: await timed('/status'), activityMs: await timed('/activity') };
  process.stdout.write(`dashboard of 1,000 bots: ${JSON.stringify(figures)}\n`);
});

test('a service that is down leaves its part out, and the rest is shown', async () => {
  await Promise.all([services.keys.stop(), services.usage.stop()]);
  const status = await get<DashboardStatus>('/status');
  expect(status).toMatchObject({ keys: null, quota: null, unavailable: ['keys', 'usage'] });
  expect(status.work).not.toBeNull();
  expect((await get<DashboardActivity>('/activity')).unavailable).toEqual(['usage']);
});
