import { ask } from '../../rig/people.ts';
import { Series } from '../../rig/series.ts';
import { type Column, check, seriesTable, spread, type Table, times } from '../../rig/table.ts';
import { answerChecks, startWithBots } from '../installation/installation.ts';
import { writeOtherTenants } from '../installation/other-tenants.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { ConversationResult } from '../load/messages.ts';
import { figuresOf, withCpu } from '../measure/loaded.ts';
import type { Part } from '../part.ts';
import { closedLoop } from './reads.ts';

const sizes = [10, 100, 1000, 10_000];
const [smallest, largest] = [String(sizes[0]), String(sizes.at(-1))];
/** The number of active tenants at every size. */
const tenants = 4;
const botsPerTenant = 6;
const chatsPerTarget = 100;
const inFlight = 16;

/** Measures a message and several lists with a growing number of idle tenants. */
export const growth: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const { installation, targets } = await startWithBots(bench, load, { tenants, botsPerTenant });
  const { gatewayPort: port, pids, launcher } = installation;
  const lists = await listsOf(installation);
  const series = new Series();
  const results: ConversationResult[] = [];
  const refused = new Map(lists.map(({ name }) => [name, 0]));
  const converse = (messages: number) => load.converse({ port, targets, chatsPerTarget, inFlight, messages });
  say('warming up');
  await converse(600);
  let existing = tenants;
  for (const size of sizes) {
    say(`planting tenants: ${existing} -> ${size}`);
    await writeOtherTenants(launcher, { from: existing, to: size });
    existing = size;
    for (let round = 1; round <= rounds; round += 1) {
      say(`${size} tenants, round ${round}/${rounds}`);
      const conversation = await withCpu(pids, () => converse(Math.round(150 * seconds)));
      results.push(conversation);
      series.add(String(size), figuresOf('message', conversation));
      for (const { name, path } of lists) {
        const requests = { kind: 'get' as const, targets: [{ path, headers: {} }] };
        const read = await withCpu(pids, () =>
          load.load({ port, requests, loop: closedLoop(4, seconds / 2) }),
        );
        refused.set(name, (refused.get(name) ?? 0) + read.answered - read.ok);
        series.add(`${size}: ${name}`, figuresOf('list', read));
      }
    }
  }
  return {
    tables: [
      seriesTable(series, sizes.map(String), {
        title: `Growth: a message, end to end, by tenants that are there (${inFlight} in flight)`,
        first: 'tenants',
        columns,
        notes: [
          `${tenants} tenants write; the others have 5 bots, 5 chats and 50 messages each, and say nothing.`,
        ],
      }),
      listsTable(series, lists),
    ],
    checks: [
      ...answerChecks('growth', results),
      ...[...refused].map(([name, count]) => check(`${name}: answers that aren't 200`, 0, count)),
    ],
    rounds: series,
  };
};

const columns: Column[] = [
  ['CPU-s/1k', 'messageCpu'],
  [`of ${smallest}`, 'messageCpu', smallest],
  ['p50 ms', 'messageP50Ms'],
  ['p99 ms', 'messageP99Ms'],
];

interface List {
  name: string;
  path: string;
}

/** Lists of a benchmark tenant. */
async function listsOf(installation: { gatewayUrl: string }): Promise<List[]> {
  const get = <Body>(path: string) => ask<Body>(installation, undefined, `GET ${path}`);
  const all = await get<{ tenantId: string; name: string }[]>('/api/bots/tenants');
  const tenantId = all.find(({ name }) => name === 'Bench 0')?.tenantId ?? '';
  const { bots } = await get<{ bots: { botId: string }[] }>(`/api/bots/tenants/${tenantId}`);
  return [
    { name: 'tenant with its bots', path: `/api/bots/tenants/${tenantId}` },
    { name: 'bots of all my tenants', path: '/api/bots' },
    { name: "a bot's chats", path: `/api/interactions/chats?botId=${bots[0]?.botId}` },
    { name: 'replies with their outcome', path: '/api/context-traces' },
    { name: 'log of turns', path: `/api/usage/${tenantId}/logs` },
  ];
}

function listsTable(series: Series, lists: readonly List[]): Table {
  return {
    title: 'Growth: CPU-s/1k of a list, all processes, by tenants that are there',
    head: ['list', ...sizes.map(String), `${largest} of ${smallest}`],
    rows: lists.map(({ name }) => [
      name,
      ...sizes.map((size) => spread(series.of(`${size}: ${name}`, 'listCpu'))),
      times(series.ratio(`${largest}: ${name}`, `${smallest}: ${name}`, 'listCpu')),
    ]),
    notes: [],
  };
}
