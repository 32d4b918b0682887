import { randomUUID } from 'node:crypto';
import { turnCompleted } from '@botyard/contracts/events/agents';
import type { DataOf } from '@botyard/contracts/events/definition';
import type { BotStats } from '@botyard/contracts/http/bot-stats';
import { firstSample } from '@botyard/testing/samples';
import type { TestService } from '@botyard/testing/service-harness';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BotHistory } from '../../bot-history.ts';
import { ChatSimulator } from '../../chat-simulator.ts';
import { callOk, openPlatform, type Platform, startAgents, startUsage } from '../../whole-platform.ts';

let platform: Platform;
let agents: TestService;
let usage: TestService;

beforeAll(async () => {
  platform = await openPlatform();
  [agents, usage] = await Promise.all([startAgents(platform), startUsage(platform)]);
});
afterAll(() => platform?.close());

const createBot = (people = platform.acme) => new ChatSimulator(platform).createBot(people);
const call = (
  { tenantId, botId }: { tenantId: string; botId: string },
  query = '',
  as = platform.acme.member,
) => platform.tenancy.call('GET', `/api/bots/${tenantId}/${botId}/stats${query}`, { as });

async function stats(bot: { tenantId: string; botId: string }, query = ''): Promise<BotStats> {
  const { status, body, text } = await call(bot, query);
  if (status !== 200) throw new Error(`no stats: ${status} ${text}`);
  return body as BotStats;
}

const nothing = {
  messagesIn: 0,
  messagesOut: 0,
  chats: 0,
  people: 0,
  latencyMs: null,
  inputTokens: 0,
  outputTokens: 0,
};

async function use(change: Partial<DataOf<typeof turnCompleted>>): Promise<void> {
  const sample = firstSample(turnCompleted);
  await platform.harness.publish(turnCompleted, { ...sample, turnId: uuidv7(), ...change });
  await platform.harness.settled('usage', 'agents');
}

test('a known history gives exact figures for each UTC day and for all of them together', async () => {
  const { harness } = platform;
  const bot = await createBot();
  const [one, two] = [await new BotHistory(harness, bot).open(), await new BotHistory(harness, bot).open()];
  const eve = await one.addMessage('2026-03-01T23:59:59.999Z', 'anna');
  await one.addReply('2026-03-02T00:00:00.999Z', [eve]);
  const first = await one.addMessage('2026-03-02T00:00:00.000Z', 'anna');
  const second = await one.addMessage('2026-03-02T12:00:00.000Z', 'ravi');
  await one.addReply('2026-03-02T12:00:03.000Z', [first, second]);
  const help = await two.addMessage('2026-03-02T13:00:00.000Z', 'anna');
  await two.addReply('2026-03-02T13:00:00.001Z', [help], { outcome: 'command' });
  const lost = await two.addMessage('2026-03-02T23:59:59.999Z', 'olga', {
    storedAt: '2026-03-04T20:00:00.000Z',
  });
  await two.addReply('2026-03-04T20:00:00.000Z', [lost], { outcome: 'apologized', status: 'failed' });
  await two.addMessage('2026-03-05T00:00:00.000Z', 'nobody');
  await use({ ...bot, completedAt: '2026-03-01T23:59:59.999Z', inputTokens: 5, outputTokens: 6 });
  await use({ ...bot, completedAt: '2026-03-02T00:00:00.000Z', inputTokens: 3_000_000_001, outputTokens: 1 });
  await use({ ...bot, completedAt: '2026-03-02T23:59:59.999Z', inputTokens: 2, agentId: null });
  await use({ ...bot, completedAt: '2026-03-05T00:00:00.000Z', inputTokens: 100 });
  const botStats = await stats(bot, '?from=2026-03-01&to=2026-03-04');
  const lateMs = Date.parse('2026-03-04T20:00:00.000Z') - Date.parse('2026-03-02T23:59:59.999Z');
  expect(botStats).toEqual({
    botId: bot.botId,
    from: '2026-03-01',
    to: '2026-03-04',
    totals: {
      messagesIn: 5,
      messagesOut: 3,
      chats: 2,
      people: 3,
      inputTokens: 3_000_000_008,
      outputTokens: 41,
      latencyMs: { p50: 3000, p95: Math.round(3000 + (lateMs - 3000) * 0.9) },
    },
    days: [
      { ...nothing, day: '2026-03-01', messagesIn: 1, chats: 1, people: 1, inputTokens: 5, outputTokens: 6 },
      {
        day: '2026-03-02',
        messagesIn: 4,
        messagesOut: 3,
        chats: 2,
        people: 3,
        inputTokens: 3_000_000_003,
        outputTokens: 35,
        latencyMs: { p50: 2000, p95: 2900 },
      },
      { ...nothing, day: '2026-03-03' },
      { ...nothing, day: '2026-03-04', latencyMs: { p50: lateMs, p95: lateMs } },
    ],
  });
  expect((await stats(bot, '?from=2026-03-03&to=2026-03-03')).totals).toEqual(nothing);
  // One message of that day came to the table two days later.
  expect((await stats(bot, '?from=2026-03-02&to=2026-03-02')).totals.messagesIn).toBe(4);
});

test("only the bot's own messages and tokens are counted", async () => {
  const { harness, acme, other } = platform;
  const [bot, sibling, foreign] = [await createBot(), await createBot(), await createBot(other)];
  for (const owner of [sibling, foreign, { ...other, botId: bot.botId }]) {
    const chat = await new BotHistory(harness, owner).open();
    await chat.addReply('2026-03-02T12:00:01.000Z', [
      await chat.addMessage('2026-03-02T12:00:00.000Z', 'anna'),
    ]);
    await use({ tenantId: owner.tenantId, botId: owner.botId, completedAt: '2026-03-02T12:00:01.000Z' });
  }
  const botStats = await stats({ ...bot, tenantId: acme.tenantId }, '?from=2026-03-01&to=2026-03-03');
  expect(botStats.totals).toEqual(nothing);
  expect((await stats(sibling, '?from=2026-03-01&to=2026-03-03')).totals).toMatchObject({
    messagesIn: 1,
    inputTokens: 12,
    latencyMs: { p50: 1000, p95: 1000 },
  });
});

test('defaults to the last 30 days, including today and new messages', async () => {
  const bot = await createBot();
  const before = new Date().toISOString().slice(0, 10);
  await new ChatSimulator(platform).say(bot);
  const { from, to, days, totals } = await stats(bot);
  const today = [before, new Date().toISOString().slice(0, 10)];
  expect(today).toContain(to);
  expect(days).toHaveLength(30);
  expect([days[0]?.day, days.at(-1)?.day]).toEqual([from, to]);
  expect(totals).toMatchObject({ messagesIn: 1, chats: 1, people: 1 });
  expect((await stats(bot, '?to=2026-01-10')).from).toBe('2025-12-12');
});

test.each([
  ['?from=2024-01-01&to=2024-12-31', 200],
  ['?from=2024-01-01&to=2025-01-01', 400],
  ['?from=2026-03-02&to=2026-03-01', 400],
  ['?to=1999-12-31', 400],
  ['?from=2000-01-01&to=2000-01-01', 200],
  ['?from=2999-12-31&to=2999-12-31', 200],
  ['?from=3000-01-01&to=3000-01-01', 400],
  ['?from=2025-02-29', 400],
  ['?from=2026-03-01T00:00:00Z', 400],
  ['?from=yesterday', 400],
  ['?from=0000-01-01&to=0000-01-02', 400],
  ['?from=2026-03-01&from=2026-03-02', 400],
])('the days %s are answered %i', async (query, status) => {
  const answer = await call(await createBot(), query);
  expect(answer.status).toBe(status);
  if (status === 400) expect(answer.body.issues).not.toEqual([]);
});

test('a bot that the tenant does not have is 404, and a tenant out of reach 403', async () => {
  const { acme, other } = platform;
  const [own, foreign] = [await createBot(), await createBot(other)];
  const { tenantId } = acme;
  const answers = [
    await call({ tenantId, botId: foreign.botId }),
    await call({ tenantId, botId: randomUUID() }),
    await call({ tenantId, botId: 'x' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect((await call(foreign)).status).toBe(403);
  expect((await call(own, '', acme.stranger)).status).toBe(403);
});

test("the platform's bots have the same under /superadmin, for operators alone", async () => {
  const { tenancy, acme } = platform;
  const as = acme.operator;
  const { botId } = await callOk(tenancy, 'POST', '/api/bots/superadmin/bots', { as, body: { name: 'P' } });
  const path = `/api/bots/superadmin/${botId}/stats`;
  const botStats = await callOk(tenancy, 'GET', `${path}?from=2026-03-01&to=2026-03-01`, { as });
  expect(botStats).toMatchObject({ botId, totals: nothing, days: [{ day: '2026-03-01', ...nothing }] });
  expect((await tenancy.call('GET', path, { as: acme.admin })).status).toBe(403);
  const foreign = await createBot();
  const missing = await tenancy.call('GET', `/api/bots/superadmin/${foreign.botId}/stats`, { as });
  expect(missing.status).toBe(404);
});

test('if one of the services does not answer, there is no partial answer, and the error names it', async () => {
  const bot = await createBot();
  await usage.stop();
  expect(await call(bot)).toMatchObject({
    status: 503,
    body: { error: 'the usage service does not answer' },
  });
  usage = await startUsage(platform);
  await agents.stop();
  expect(await call(bot)).toMatchObject({
    status: 503,
    body: { error: 'the agents service does not answer' },
  });
  expect((await call({ ...bot, botId: randomUUID() })).status).toBe(404);
});
