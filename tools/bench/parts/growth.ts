import { answerChecks, startMessagingInstallation } from '../installation/messaging.ts';
import { writeOtherTenants } from '../installation/other-tenants.ts';
import { connectAsOwner } from '../installation/owner.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { ConversationResult, Loop } from '../load/messages.ts';
import { cpuSeconds, difference, sumOf } from '../measure/processes.ts';
import { Series } from '../measure/series.ts';
import type { Part } from '../part.ts';
import type { Chart } from '../report/chart.ts';
import { spread, type Table, times } from '../report/table.ts';

const sizes = [10, 100, 1000, 10_000];
/** The number of active tenants at every size. */
const tenants = 4;
const botsPerTenant = 6;
const chatsPerBot = 100;
const inFlight = 16;

/** Measures a message and several lists with a growing number of idle tenants. */
export const growth: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const { installation, targets } = await startMessagingInstallation(bench, load, { tenants, botsPerTenant });
  const owner = await connectAsOwner(installation.dataDir, cleanup);
  const lists = listsOf(await idsOf(installation.gatewayUrl));
  const series = new Series();
  const seen: ConversationResult[] = [];
  const refused = new Map<string, number>();
  const converse = (messages: number) =>
    load.converse({
      port: installation.gatewayPort,
      targets,
      chatsPerTarget: chatsPerBot,
      inFlight,
      messages,
    });
  const measured = async <Result extends { answered: number }>(work: () => Promise<Result>) => {
    const before = cpuSeconds(installation.pids);
    const result = await work();
    return {
      ...result,
      cpu: (sumOf(difference(cpuSeconds(installation.pids), before)) / result.answered) * 1000,
    };
  };
  say('warming up');
  await converse(600);
  let planted = tenants;
  for (const size of sizes) {
    say(`planting tenants: ${planted} -> ${size}`);
    await writeOtherTenants(owner, { from: planted, to: size });
    planted = size;
    for (let round = 1; round <= rounds; round += 1) {
      say(`${size} tenants, round ${round}/${rounds}`);
      const said = await measured(() => converse(Math.round(150 * seconds)));
      seen.push(said);
      series.add(String(size), { cpu: said.cpu, p50Ms: said.p50Ms, p99Ms: said.p99Ms });
      for (const { name, path } of lists) {
        const requests = { kind: 'get' as const, targets: [{ path, headers: {} }] };
        const asked = await measured(() =>
          load.load({ port: installation.gatewayPort, requests, loop: closedLoop(seconds / 2) }),
        );
        refused.set(name, (refused.get(name) ?? 0) + asked.answered - asked.ok);
        series.add(`${size}: ${name}`, { cpu: asked.cpu, p50Ms: asked.p50Ms });
      }
    }
  }
  return {
    tables: [messagesTable(series), listsTable(series, lists)],
    checks: [
      ...answerChecks('growth', seen),
      ...lists.map(({ name }) => ({
        what: `${name}: answers that aren't 200`,
        isRight: refused.get(name) === 0,
        detail: String(refused.get(name)),
      })),
    ],
    charts: charts(series, lists),
    rounds: series,
  };
};

const closedLoop = (seconds: number): Loop => ({ kind: 'closed', connections: 4, seconds, most: 100_000 });

interface List {
  name: string;
  path: string;
}

/** Returns a benchmark tenant and one of its bots. */
async function idsOf(gatewayUrl: string): Promise<{ tenantId: string; botId: string }> {
  const get = async (path: string) => (await fetch(`${gatewayUrl}${path}`)).json();
  const found = (await get('/api/bots/tenants')) as { tenantId: string; name: string }[];
  const tenantId = found.find(({ name }) => name === 'Bench 0')?.tenantId ?? '';
  const { bots } = (await get(`/api/bots/tenants/${tenantId}`)) as { bots: { botId: string }[] };
  return { tenantId, botId: bots[0]?.botId ?? '' };
}

const listsOf = ({ tenantId, botId }: { tenantId: string; botId: string }): List[] => [
  { name: 'tenant with its bots', path: `/api/bots/tenants/${tenantId}` },
  { name: 'bots of all my tenants', path: '/api/bots' },
  { name: "a bot's chats", path: `/api/interactions/chats?botId=${botId}` },
  { name: 'replies with their outcome', path: '/api/context-traces' },
  { name: 'log of turns', path: `/api/usage/${tenantId}/logs` },
];

const smallest = String(sizes[0]);

function messagesTable(series: Series): Table {
  return {
    title: `Growth: a message, end to end, by tenants that are there (${inFlight} in flight)`,
    head: ['tenants', 'CPU-s/1k', `of ${smallest}`, 'p50 ms', 'p99 ms'],
    rows: sizes.map((size) => [
      String(size),
      spread(series.of(String(size), 'cpu')),
      times(series.ratio(String(size), smallest, 'cpu')),
      spread(series.of(String(size), 'p50Ms')),
      spread(series.of(String(size), 'p99Ms')),
    ]),
    notes: [
      `${tenants} tenants write; the others have 5 bots, 5 chats and 50 messages each, and say nothing.`,
    ],
  };
}

function listsTable(series: Series, lists: readonly List[]): Table {
  return {
    title: 'Growth: CPU-s/1k of a list, all processes, by tenants that are there',
    head: ['list', ...sizes.map(String), `${sizes.at(-1)} of ${smallest}`],
    rows: lists.map(({ name }) => [
      name,
      ...sizes.map((size) => spread(series.of(`${size}: ${name}`, 'cpu'))),
      times(series.ratio(`${sizes.at(-1)}: ${name}`, `${smallest}: ${name}`, 'cpu')),
    ]),
    notes: [],
  };
}

function charts(series: Series, lists: readonly List[]): Chart[] {
  const x = { label: 'tenants', values: sizes };
  const medians = (nameOf: (size: number) => string, metric: string) =>
    sizes.map((size) => series.of(nameOf(size), metric)?.median ?? Number.NaN);
  return [
    {
      file: 'growth-messages',
      title: 'CPU of a message by tenants that are there',
      x,
      yLabel: 'CPU-s per 1,000 messages',
      lines: [{ name: 'end to end', values: medians(String, 'cpu') }],
    },
    {
      file: 'growth-lists',
      title: 'CPU of a list by tenants that are there',
      x,
      yLabel: 'CPU-s per 1,000 calls',
      lines: lists.map(({ name }) => ({ name, values: medians((size) => `${size}: ${name}`, 'cpu') })),
    },
  ];
}
