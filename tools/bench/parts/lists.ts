import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { startInstallation } from '../installation/installation.ts';
import { connectAsOwner } from '../installation/owner.ts';
import { type Rows, type TenantWithRows, writeTenantRows } from '../installation/tenant-with-rows.ts';
import { LoadProcess } from '../load/load-process.ts';
import { cpuSeconds, difference, sumOf } from '../measure/processes.ts';
import { interleave } from '../measure/rounds.ts';
import { Series } from '../measure/series.ts';
import type { Part } from '../part.ts';
import { atMost } from '../report/aims.ts';
import { check, figure, spread, type Table, times } from '../report/table.ts';

const few: Rows = { chats: 100, messages: 1000, agents: 100, edges: 100, members: 100 };
const many: Rows = { chats: 10_000, messages: 100_000, agents: 1000, edges: 100_000, members: 1000 };
const connections = 4;
/** The number of requests for which the database's row reads are counted. */
const counted = 5;
/** An idle connection reports its reads to the server within a second. */
const toldWithinMs = 1500;

interface List {
  name: string;
  pathOf(tenant: TenantWithRows): string;
}

const lists: readonly List[] = [
  { name: 'chats, newest first', pathOf: () => '/api/interactions/chats?limit=50' },
  {
    name: 'chats, by last message',
    pathOf: () => '/api/interactions/chats?limit=50&sort=-lastMessageAt',
  },
  {
    name: 'chats of a bot',
    pathOf: ({ tenantId }) => `/api/interactions/chats?limit=50&botId=${tenantId}`,
  },
  { name: 'chats, searched', pathOf: () => '/api/interactions/chats?limit=50&q=Message%20421:' },
  {
    name: "a chat's messages",
    pathOf: ({ chatId }) => `/api/interactions/chats/${chatId}/messages?limit=50`,
  },
  { name: 'people', pathOf: () => '/api/platform-users?limit=50' },
  { name: 'replies with their outcome', pathOf: () => '/api/context-traces?limit=50' },
  { name: 'replies of an agent', pathOf: ({ agentId }) => `/api/context-traces?limit=50&agentId=${agentId}` },
  { name: 'dead letters', pathOf: () => '/api/interactions/dead-letters?limit=50' },
  { name: 'undelivered', pathOf: () => '/api/interactions/undelivered?limit=50' },
  { name: 'agents', pathOf: () => '/api/definitions/agents?limit=50' },
  { name: 'agents, searched', pathOf: () => '/api/definitions/agents?limit=50&q=Agent%200042' },
  { name: 'agents with what they did', pathOf: () => '/api/agents?limit=50' },
  { name: 'members', pathOf: ({ tenantId }) => `/api/bots/tenants/${tenantId}/members?limit=50` },
  { name: 'relationships', pathOf: () => '/api/authorization-edges?limit=50' },
  {
    name: 'relationships of a group',
    pathOf: () => '/api/authorization-edges?limit=50&subject=group:from0%23member',
  },
  { name: 'log of turns', pathOf: ({ tenantId }) => `/api/usage/${tenantId}/logs?limit=50` },
];

/**
 * Measures each list for a tenant with many rows, compared with a tenant with a hundred rows of each kind.
 */
export const listsPart: Part = async (bench) => {
  const { cleanup, dir, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const dataDir = `${dir}/installation`;
  const installation = await startInstallation({ dataDir, cleanup });
  const owner = await connectAsOwner(dataDir, cleanup);
  say("writing the two tenants' rows");
  const small = await tenantWith(owner, installation.gatewayUrl, { idPrefix: '01930000', rows: few });
  const large = await tenantWith(owner, installation.gatewayUrl, { idPrefix: '01940000', rows: many });
  const series = new Series();
  const refused = new Map<string, number>();
  const ask = async (
    name: string,
    path: string,
    tenantId: string,
    loop: { seconds: number; most: number },
  ) => {
    const requests = { kind: 'get' as const, targets: [{ path, headers: { 'x-tenant-id': tenantId } }] };
    const before = cpuSeconds(installation.pids);
    const asked = await load.load({
      port: installation.gatewayPort,
      requests,
      loop: { kind: 'closed', connections, ...loop },
    });
    refused.set(name, (refused.get(name) ?? 0) + asked.answered - asked.ok);
    const cpu = (sumOf(difference(cpuSeconds(installation.pids), before)) / asked.answered) * 1000;
    return { cpu, p50Ms: asked.p50Ms };
  };
  const variants = lists.flatMap(({ name, pathOf }) =>
    [small, large].map((tenant) => ({
      name: nameOf(name, tenant === large),
      list: name,
      path: pathOf(tenant),
      tenantId: tenant.tenantId,
    })),
  );
  for (const { list, name, path, tenantId } of variants) {
    say(`rows read: ${name}`);
    await ask(list, path, tenantId, { seconds: 30, most: 20 });
    await pause(toldWithinMs);
    const before = await rowsRead(owner);
    await ask(list, path, tenantId, { seconds: 30, most: counted });
    await pause(toldWithinMs);
    series.add(name, { rows: ((await rowsRead(owner)) - before) / counted });
  }
  await interleave(variants, rounds, async ({ list, name, path, tenantId }, round) => {
    say(`round ${round + 1}/${rounds}: ${name}`);
    series.add(name, await ask(list, path, tenantId, { seconds: seconds / 3, most: 100_000 }));
  });
  const growths = lists.flatMap(
    ({ name }) => series.ratio(nameOf(name, true), nameOf(name, false), 'cpu') ?? [],
  );
  const worst = growths.toSorted((left, right) => right.median - left.median)[0];
  return {
    tables: [table(series)],
    checks: lists.map(({ name }) => check(`${name}: answers that aren't 200`, 0, refused.get(name) ?? 0)),
    aims: [
      atMost(1.3, {
        id: 'L1',
        what: 'the list that grows most, CPU of one of a hundred rows',
        measured: worst,
      }),
    ],
    rounds: series,
  };
};

const nameOf = (list: string, isLarge: boolean): string => `${list} (${isLarge ? 'many' : 'few'})`;

async function tenantWith(
  owner: pg.Client,
  gatewayUrl: string,
  { idPrefix, rows }: { idPrefix: string; rows: Rows },
): Promise<TenantWithRows> {
  const answer = await fetch(`${gatewayUrl}/api/bots/tenants`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: `Bench ${idPrefix}` }),
  });
  const { tenantId } = (await answer.json()) as { tenantId: string };
  return await writeTenantRows(owner, { tenantId, idPrefix, rows });
}

/** Returns the number of rows that scans have read from the services' tables and indexes so far. */
async function rowsRead(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query<{ rows: string }>(
    'select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_user_tables',
  );
  return Number(rows[0]?.rows);
}

function table(series: Series): Table {
  return {
    title: `Lists: ${counts(many)}, beside ${counts(few)}`,
    head: ['list', 'CPU-s/1k', 'of few', 'p50 ms', 'of few', 'rows read', 'of few'],
    rows: lists.map(({ name }) => {
      const [large, small] = [nameOf(name, true), nameOf(name, false)];
      return [
        name,
        spread(series.of(large, 'cpu')),
        times(series.ratio(large, small, 'cpu')),
        spread(series.of(large, 'p50Ms')),
        times(series.ratio(large, small, 'p50Ms')),
        figure(series.of(large, 'rows')?.median),
        figure(series.of(small, 'rows')?.median),
      ];
    }),
    notes: [
      `${connections} connections, pages of 50, through the gateway; CPU of all processes. rows read: by Postgres for a request, of all tables.`,
    ],
  };
}

const counts = ({ chats, messages, agents, edges, members }: Rows): string =>
  `${chats} chats, ${messages} messages, ${agents} agents, ${edges} relationships and ${members} members`;
