import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, count, newTurn, openUsageServices, type Turn, type UsageServices } from '../usage-services.ts';

let services: UsageServices;
let now = new Date('2026-11-21T12:00:00.000Z');
const bots = [randomUUID(), randomUUID()].sort();

beforeAll(async () => {
  services = await openUsageServices({ clock: { now: () => now } });
  const { acme, other } = services;
  const at = (completedAt: string, change: Partial<Turn> = {}) =>
    newTurn(acme.tenantId, { botId: bots[0]!, ...change, completedAt: new Date(completedAt).toISOString() });
  await count(
    services,
    at('2026-10-31T23:59:59.999Z'),
    at('2026-11-01T00:00:00Z', { botId: bots[1]! }),
    at('2026-11-01T12:00:00Z', { provider: 'openai', model: 'gpt-4o', keySource: 'tenant' }),
    at('2026-11-01T13:00:00Z', { provider: 'openai', model: 'gpt-4o', keySource: 'tenant' }),
    at('2026-11-20T00:00:00Z', { agentId: null, outcome: 'apologized' }),
    at('2026-11-21T11:00:00Z'),
    newTurn(other.tenantId, { completedAt: '2026-11-01T12:00:00.000Z' }),
  );
});
afterAll(() => services?.harness.close());

const read = async (query: string) => {
  const { status, body } = await call(services, services.acme, ['GET', query]);
  return { status, ...body };
};
type Group = { counters: Record<string, number | null> } & Record<string, unknown>;
const short = ({ counters, ...key }: Group) => ({ ...key, n: counters.messages });

test('by day: only days with usage, the earliest first, and a series only on request', async () => {
  const { series, periodStart, periodEnd } = await read('?groupBy=day');
  expect([periodStart, periodEnd]).toEqual(['2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z']);
  expect(series.map(short)).toEqual([
    { day: '2026-11-01', n: 3 },
    { day: '2026-11-20', n: 0 },
    { day: '2026-11-21', n: 1 },
  ]);
  expect((await read('')).series).toBeUndefined();
});

test('by one thing, and by a time and one thing in any order', async () => {
  expect((await read('?groupBy=bot')).series.map(short)).toEqual([
    { botId: bots[0], n: 3 },
    { botId: bots[1], n: 1 },
  ]);
  expect((await read('?groupBy=keySource')).series.map(short)).toEqual([
    { keySource: 'platform', n: 2 },
    { keySource: 'tenant', n: 2 },
  ]);
  const expected = [
    { month: '2026-10', model: 'sandbox', n: 1 },
    { month: '2026-11', model: 'gpt-4o', n: 2 },
    { month: '2026-11', model: 'sandbox', n: 2 },
  ];
  for (const groupBy of ['groupBy=month,model', 'groupBy=model,month', 'groupBy=model&groupBy=month'])
    expect((await read(`?from=2026-10-01&${groupBy}`)).series.map(short)).toEqual(expected);
});

test('usage without a price is null in its group, and reported in addition to the sum of the others', async () => {
  const { series, counters } = await read('?groupBy=model');
  expect(
    series.map(({ model, counters: { costMicroUsd, unpricedTurns } }: Group) => [
      model,
      costMicroUsd,
      unpricedTurns,
    ]),
  ).toEqual([
    ['gpt-4o', 450, 0],
    ['sandbox', null, 3],
  ]);
  expect(counters).toMatchObject({ costMicroUsd: 450, unpricedTurns: 3 });
});

const groupings = [
  'day',
  'month',
  'bot',
  'agent',
  'provider',
  'model',
  'keySource',
  'day,bot',
  'month,agent',
];

test.each(groupings)('by %s: the groups add up to the counters, for any bounds of time', async (groupBy) => {
  for (const span of [
    '',
    '&from=2026-10-01&to=2026-11-30',
    '&from=2026-11-01T00:00:00.001Z&to=2026-11-01T13:00:00Z',
    '&from=2026-10-31T23:00:00Z&to=2026-11-21T11:00:00.001Z',
  ]) {
    const { series, counters } = await read(`?groupBy=${groupBy}${span}`);
    const plain = await read(`?${span.slice(1)}`);
    expect(counters).toEqual(plain.counters);
    for (const name of [
      'messages',
      'inputTokens',
      'outputTokens',
      'toolCalls',
      'unpricedTurns',
      'costMicroUsd',
    ])
      expect([name, sum(series, name)]).toEqual([name, counters[name] ?? 0]);
  }
});

const sum = (series: Group[], name: string): number =>
  series.reduce((total, { counters }) => total + (counters[name] ?? 0), 0);

test.each([
  ['?from=2026-11-01&to=2026-11-01', 3],
  ['?from=2026-11-01T12:00:00Z&to=2026-11-01T13:00:00Z', 1],
  ['?from=2026-11-01T12:00:00Z&to=2026-11-01T13:00:00.001Z', 2],
  ['?from=2026-11-20', 1],
  ['?to=2026-11-20', 3],
  ['?from=2026-10-31T23:59:59.999Z&to=2026-11-01T00:00:00.000Z', 1],
  ['?from=2026-12-01&to=2026-12-31', 0],
])('%s counts %i messages', async (query, messages) => {
  expect(await read(query)).toMatchObject({ status: 200, counters: { messages } });
});

test('without a span the quota decides: its current day, and after a reset the time since', async () => {
  await call(services, services.acme, ['POST', '/quota/initialize'], {
    limits: { messages: 9 },
    period: 'day',
  });
  expect(await read('?groupBy=day')).toMatchObject({
    periodStart: '2026-11-21T00:00:00.000Z',
    periodEnd: '2026-11-22T00:00:00.000Z',
    series: [{ day: '2026-11-21' }],
  });
  await call(services, services.acme, ['POST', '/quota/reset']);
  expect(await read('?groupBy=day')).toMatchObject({
    periodStart: now.toISOString(),
    counters: { messages: 0 },
    series: [],
  });
  now = new Date('2026-11-22T00:00:00.000Z');
  expect(await read('')).toMatchObject({ periodStart: now.toISOString() });
  await services.harness.asOwner('delete from usage.quotas');
});

test.each([
  ['from=2025-01-01&to=2026-11-01', 'from'],
  ['from=2026-11-02&to=2026-11-01', 'to'],
  ['from=2026-11-02T00:00:00Z&to=2026-11-02T00:00:00Z', 'to'],
  ['from=2027-01-01', 'from'],
  ['from=2026-02-30', 'from'],
  ['to=0000-01-01', 'to'],
  ['groupBy=hour', 'groupBy.0'],
  ['groupBy=', 'groupBy.0'],
  ['groupBy=bot,agent', 'groupBy'],
  ['groupBy=day,month', 'groupBy'],
  ['groupBy=day,day', 'groupBy'],
  ['groupBy=day,bot,agent', 'groupBy'],
])('?%s is refused with the field that is at fault', async (query, path) => {
  const { status, issues } = await read(`?${query}`);
  expect([status, issues?.[0].path]).toEqual([400, path]);
});

test('400 days are answered, and more than 10,000 groups are not', async () => {
  expect((await read('?from=2025-10-18&to=2026-11-21')).status).toBe(200);
  await services.harness.asOwner(
    `insert into usage.counters (tenant_id, day, bot_id, key_source, messages, input_tokens, output_tokens, tool_calls)
     select $1, '2026-05-01', gen_random_uuid(), 'platform', 1, 1, 1, 0 from generate_series(1, 10001)`,
    [services.acme.tenantId],
  );
  const { status, error } = await read('?from=2026-05-01&to=2026-05-01&groupBy=bot');
  expect([status, error]).toEqual([400, expect.stringContaining('10000 groups')]);
});
