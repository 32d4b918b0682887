import { join } from 'node:path';
import type pg from 'pg';
import { startInstallation } from '../installation/installation.ts';
import { connectAsOwner } from '../installation/owner.ts';
import { summarize } from '../load/latencies.ts';
import { interleave } from '../measure/rounds.ts';
import { Series } from '../measure/series.ts';
import type { Part } from '../part.ts';
import { check, spread, type Table, times } from '../report/table.ts';

const turns = 1_000_000;
const days = 365;
const lastDay = '2026-10-31';
const rareOnes = 5000;

interface Variant {
  name: string;
  ask: () => Promise<unknown>;
}

/** Measures `/api/usage` of one tenant with a year of turns, through the gateway. */
export const usage: Part = async ({ dir, cleanup, rounds, seconds, say }) => {
  const dataDir = join(dir, 'installation');
  const { gatewayUrl } = await startInstallation({ dataDir, cleanup });
  const owner = await connectAsOwner(dataDir, cleanup);
  const get = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${gatewayUrl}${path}`, init);
    if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  const headers = { 'content-type': 'application/json' };
  const made = await get('/api/bots/tenants', { method: 'POST', headers, body: '{"name":"Bench"}' });
  const base = `/api/usage/${made.tenantId}`;
  const quota = { method: 'POST', headers, body: '{"limits":{"messages":1000000000}}' };
  await get(`${base}/quota/initialize`, quota);
  say(`writing ${turns} turns`);
  await writeTurns(owner, made.tenantId);
  const month = `from=2026-10-01&to=${lastDay}`;
  const variants: Variant[] = [
    { name: 'select 1', ask: () => owner.query({ name: 'one', text: 'select 1' }) },
    { name: 'GET of a tenant that used nothing', ask: () => get(`${base}?from=2020-01-01&to=2020-01-31`) },
    { name: "GET of a month's counters", ask: () => get(`${base}?${month}`) },
    { name: "a month's series by day", ask: () => get(`${base}?${month}&groupBy=day`) },
    { name: "a month's series by day and bot", ask: () => get(`${base}?${month}&groupBy=day,bot`) },
    { name: 'counters of a year', ask: () => get(`${base}?from=2025-11-01&to=${lastDay}`) },
    { name: 'GET /quota', ask: () => get(`${base}/quota`) },
    { name: 'GET /logs, 100 entries', ask: () => get(`${base}/logs`) },
    { name: 'GET /logs, one outcome in 200', ask: () => get(`${base}/logs?outcome=apologized`) },
  ];
  const series = new Series();
  await interleave(variants, rounds, async ({ name, ask }, round) => {
    say(`round ${round + 1}/${rounds}: ${name}`);
    series.add(name, summarize(await timeFor(seconds, ask)) as unknown as Record<string, number>);
  });
  const year = await get(`${base}?from=2025-11-01&to=${lastDay}&groupBy=month`);
  return {
    tables: [table(variants, series)],
    checks: [
      check("messages in a year's counters", turns - rareOnes, year.counters.messages),
      check('the sum of its months', turns - rareOnes, sumOf(year)),
    ],
    rounds: series,
  };
};

interface Answer {
  tenantId: string;
  counters: { messages: number };
  series: { counters: { messages: number } }[];
}

const sumOf = ({ series }: Answer): number =>
  series.reduce((sum, { counters }) => sum + counters.messages, 0);

/** Writes turns of 20 bots, 5 agents and 4 models, spread over the days. The counters are computed from the log. */
async function writeTurns(owner: pg.Client, tenantId: string): Promise<void> {
  const someId = (kind: number, count: number) =>
    `('01920000-0000-7000-8000-' || lpad(to_hex(${kind} * 1000 + n % ${count}), 12, '0'))::uuid`;
  await owner.query(
    `insert into usage.log_entries select $1::uuid, gen_random_uuid(), $1::uuid, ${someId(1, 20)}, ${someId(2, 5)}, 'openai',
       'model ' || n % 4, 'platform', null::uuid, case when n % ${turns / rareOnes} = 0 then 'apologized' else 'answered' end,
       1000, 200, 0, 4500, false, 900, timestamptz '${lastDay} 23:59:59+00' - n * interval '${(days * 86_400) / turns} seconds'
     from generate_series(1, ${turns - 1}) n
     union all select $1::uuid, gen_random_uuid(), $1::uuid, ${someId(1, 20)}, ${someId(2, 5)}, 'openai', 'model 0', 'platform', null::uuid,
       'apologized', 1000, 200, 0, 4500, false, 900, timestamptz '${lastDay} 12:00:00+00' from (select 0 as n) one`,
    [tenantId],
  );
  await owner.query(
    `insert into usage.counters select tenant_id, (completed_at at time zone 'UTC')::date, bot_id, agent_id, provider, model,
       key_source, count(*) filter (where outcome = 'answered'), sum(input_tokens), sum(output_tokens), 0,
       sum(cost_micro_usd), now(), 0 from usage.log_entries where tenant_id = $1 group by 1, 2, 3, 4, 5, 6, 7`,
    [tenantId],
  );
  await owner.query('vacuum analyze usage.log_entries');
  await owner.query('vacuum analyze usage.counters');
}

async function timeFor(seconds: number, ask: () => Promise<unknown>): Promise<number[]> {
  const latenciesMs: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const begin = performance.now();
    await ask();
    latenciesMs.push(performance.now() - begin);
  }
  return latenciesMs;
}

function table(variants: readonly Variant[], series: Series): Table {
  return {
    title: `Usage: one tenant with ${turns} turns in ${days} days, one request at a time, through the gateway`,
    head: ['what', 'p50 ms', 'p99 ms', 'p50 of select 1'],
    rows: variants.map(({ name }) => [
      name,
      spread(series.of(name, 'p50Ms')),
      spread(series.of(name, 'p99Ms')),
      times(series.ratio(name, 'select 1', 'p50Ms')),
    ]),
    notes: [
      'select 1: a prepared statement on an open connection, from the process that also asks the gateway.',
    ],
  };
}
