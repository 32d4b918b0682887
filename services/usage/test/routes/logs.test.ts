import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, count, newTurn, openUsageServices, type Turn, type UsageServices } from '../usage-services.ts';

let services: UsageServices;
let turns: Turn[];
const [bot, agent] = [randomUUID(), randomUUID()];
const minute = (index: number) => new Date(Date.UTC(2026, 10, 20, 10, index)).toISOString();

beforeAll(async () => {
  services = await openUsageServices();
  const { acme, other } = services;
  const changes: Partial<Turn>[] = [
    {},
    { botId: bot },
    { agentId: agent, keySource: 'tenant' },
    { provider: 'openai', model: 'gpt-4o', keySource: 'bot' },
    { provider: 'openai', model: 'gpt-4o-mini', botId: bot, keySource: 'agent' },
    { outcome: 'apologized', agentId: null, isEstimated: true },
    { outcome: 'command', inputTokens: 0, outputTokens: 0, toolCalls: 0 },
  ];
  turns = changes.map((change, index) => newTurn(acme.tenantId, { completedAt: minute(index), ...change }));
  // The order of the reports differs from the order in which the turns ended.
  await count(services, ...turns.toReversed(), newTurn(other.tenantId, { botId: bot }));
});
afterAll(() => services?.harness.close());

const list = async (query = '', people = services.acme) => {
  const { status, body, next } = await call(services, people, ['GET', `/logs${query}`]);
  return { status, body, next, ids: Array.isArray(body) ? body.map(({ turnId }) => turnId) : [] };
};
const idsOf = (...places: number[]) => places.map((place) => turns[place]?.turnId);

test('one complete entry for each turn that used something, the last one to end first', async () => {
  const { ids, body } = await list();
  expect(ids).toEqual(idsOf(5, 4, 3, 2, 1, 0));
  const { tenantId: _tenant, reservationId: _reservation, ...fields } = turns[3]!;
  expect(body[2]).toEqual({ ...fields, costMicroUsd: 225 });
  expect(body[0]).toMatchObject({
    outcome: 'apologized',
    agentId: null,
    isEstimated: true,
    costMicroUsd: null,
  });
});

test.each([
  [`?botId=${bot}`, [4, 1]],
  [`?agentId=${agent}`, [2]],
  ['?provider=openai', [4, 3]],
  ['?model=gpt-4o', [3]],
  ['?keySource=platform', [5, 1, 0]],
  ['?keySource=own', [4, 3, 2]],
  ['?outcome=apologized', [5]],
  [`?botId=${bot}&keySource=own&outcome=answered`, [4]],
  [`?from=${minute(2)}&to=${minute(4)}`, [3, 2]],
  ['?from=2026-11-20&to=2026-11-20', [5, 4, 3, 2, 1, 0]],
  ['?to=2026-11-19', []],
  ['?from=2026-11-20T12:01:00%2B02:00&to=2026-11-20T10:02:00Z', [1]],
  [`?botId=${randomUUID()}`, []],
  ['?model=%25', []],
] as const)('%s lists %o', async (query, places) => {
  expect((await list(query)).ids).toEqual(idsOf(...places));
});

test('pages follow one another without a gap or a repetition, filters included', async () => {
  for (const [filter, places] of [
    ['', [5, 4, 3, 2, 1, 0]],
    ['&keySource=own', [4, 3, 2]],
  ] as const) {
    const seen: string[] = [];
    let before = '';
    for (let pages = 0; pages < 9; pages += 1) {
      const { ids, next } = await list(`?limit=2${filter}${before}`);
      seen.push(...ids);
      if (!next) break;
      before = `&before=${next}`;
    }
    expect(seen).toEqual(idsOf(...places));
  }
});

test('entries that ended at the same moment are each on one page', async () => {
  const at = '2026-10-01T00:00:00.000Z';
  const same = Array.from({ length: 5 }, () => newTurn(services.acme.tenantId, { completedAt: at }));
  await count(services, ...same);
  const first = await list('?limit=3&to=2026-10-31');
  const second = await list(`?limit=3&to=2026-10-31&before=${first.next}`);
  expect([...first.ids, ...second.ids].sort()).toEqual(same.map(({ turnId }) => turnId).sort());
  expect([first.ids.length, second.ids.length, second.next]).toEqual([3, 2, undefined]);
});

test('another tenant sees its own entries, and a foreign cursor finds nothing', async () => {
  const { ids } = await list('', services.other);
  expect(ids).toHaveLength(1);
  expect(turns.map(({ turnId }) => turnId)).not.toContain(ids[0]);
  const cursor = Buffer.from(turns[5]?.turnId ?? '').toString('base64url');
  expect((await list(`?before=${cursor}`, services.other)).ids).toEqual([]);
});

test.each([
  ['from=yesterday', 'from'],
  ['from=2026-13-01', 'from'],
  ['to=1999-12-31T00:00:00Z', 'to'],
  ['botId=1', 'botId'],
  ['provider=other', 'provider'],
  ['model=a%00b', 'model'],
  ['keySource=mine', 'keySource'],
  ['outcome=good', 'outcome'],
  ['model=a&model=b', 'model'],
])('?%s is refused', async (query, path) => {
  const { status, body } = await list(`?${query}`);
  expect([status, body.issues?.[0].path]).toEqual([400, path]);
});
