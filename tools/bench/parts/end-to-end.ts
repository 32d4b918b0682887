import type { Groups } from '../../rig/processes.ts';
import { Series } from '../../rig/series.ts';
import { type Check, type Column, figure, seriesTable, spread, type Table } from '../../rig/table.ts';
import { answerChecks, botToken, checkRefusal, startWithBots } from '../installation/installation.ts';
import { Releases } from '../installation/releases.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { ConversationResult, Target } from '../load/messages.ts';
import { figuresOf, withCpu } from '../measure/loaded.ts';
import { interleave } from '../measure/rounds.ts';
import type { Bench, Part } from '../part.ts';
import { startPeer } from '../peers/peer-process.ts';
import { type Aim, atMost } from '../report/aims.ts';
import { beside } from './reads.ts';

/** Our send limits are 25/s per bot and 1/s per chat. There are enough of both that the limits don't apply. */
const size = { tenants: 4, botsPerTenant: 12 };
const chatsPerTarget = 10;
const many = 16;
/** V8 compiles the whole path of a message only after some thousand runs. Earlier runs cost about a third more. */
const warmUpMessages = 3000;
const own = 'botyard';
const releasePercent = 5;
const released = `botyard, release at ${releasePercent} %`;

interface Variant {
  name: string;
  port: number;
  pids: Groups;
  targets: Target[];
  /** The releases that run while this variant is measured. */
  releases?: Releases;
}

interface Load {
  inFlight: number;
  messages: number;
}

/** Measures the whole path from the update to the answer at the messenger, with a model that answers immediately. */
export const endToEnd: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const variants = await startVariants(bench, load);
  const refusals = variants
    .filter(({ name }) => [own, beside].includes(name))
    .map(({ name, port, targets }) => checkRefusal(name, port, targets[0]!));
  const checks = await Promise.all(refusals);
  const series = new Series();
  const results = new Map<string, ConversationResult[]>();
  let firstChat = 0;
  let begunSessions = 0;
  /** Runs loads in the same chats. The chats are new, because a release gets only sessions that begin during it. */
  const run = async ({ name, releases, pids, ...where }: Variant, loads: readonly Load[]) => {
    firstChat += chatsPerTarget;
    await releases?.start(releasePercent);
    const measured = [];
    for (const one of loads) {
      const plan = { ...one, ...where, chatsPerTarget, firstChat };
      measured.push(await withCpu(pids, () => load.converse(plan)));
    }
    await releases?.withdraw();
    const messages = loads.reduce((sum, one) => sum + one.messages, 0);
    if (releases) begunSessions += Math.min(messages, where.targets.length * chatsPerTarget);
    results.set(name, [...(results.get(name) ?? []), ...measured]);
    return measured;
  };
  say('warming up');
  for (const variant of variants) await run(variant, [{ inFlight: many, messages: warmUpMessages }]);
  await interleave(variants, rounds, async (variant, round) => {
    say(`round ${round + 1}/${rounds}: ${variant.name}, ${many} in flight, then 1`);
    const [concurrent, alone] = await run(variant, [
      { inFlight: many, messages: Math.round(250 * seconds) },
      { inFlight: 1, messages: Math.round(60 * seconds) },
    ]);
    series.add(variant.name, { ...figuresOf('concurrent', concurrent!), ...figuresOf('alone', alone!) });
  });
  return {
    tables: tablesOf(series, variants),
    checks: [
      ...checks,
      ...[...results].flatMap(([name, all]) => answerChecks(name, all)),
      ...variants.flatMap(({ releases }) => (releases ? [sessionCheck(releases, begunSessions)] : [])),
    ],
    aims: aimsOf(series),
    rounds: series,
  };
};

async function startVariants(bench: Bench, load: LoadProcess): Promise<Variant[]> {
  const { messengerUrl, modelUrl } = await load.platforms();
  const env = { MESSENGER_URL: messengerUrl, MODEL_URL: modelUrl, BOT_TOKEN: botToken(999_999) };
  const inline = await startPeer('inline-bot', { cleanup: bench.cleanup, env });
  const start = async (checkout?: string) => {
    const { installation, targets, agents } = await startWithBots(bench, load, size, checkout);
    return { port: installation.gatewayPort, pids: installation.pids, targets, installation, agents };
  };
  const other = bench.beside ? await start(bench.beside) : undefined;
  const { installation, agents, ...ours } = await start();
  return [
    {
      name: 'inline',
      port: inline.port,
      pids: { server: inline.pid },
      targets: [{ path: '/', headers: {} }],
    },
    ...(other ? [{ ...other, name: beside }] : []),
    { ...ours, name: own },
    { ...ours, name: released, releases: await Releases.prepare(installation, agents) },
  ];
}

/** Checks that every session of the chats began under a release, and that the candidate got some. */
function sessionCheck({ sessions: { candidate, live } }: Releases, begun: number): Check {
  return {
    what: `${released}: sessions of the candidate and of the live version`,
    isRight: candidate > 0 && candidate + live === begun,
    detail: `${candidate} and ${live} of ${begun}`,
  };
}

const aimsOf = (series: Series): Aim[] => [
  atMost(10, {
    id: 'E2',
    what: 'end to end, p50 with one message in flight',
    unit: 'ms',
    measured: series.of(own, 'aloneP50Ms'),
  }),
  atMost(1.01, {
    id: 'E3',
    what: 'end to end without a release, CPU of the checkout beside',
    measured: series.ratio(own, beside, 'concurrentCpu'),
  }),
  atMost(1.03, {
    id: 'E3',
    what: `end to end with a release at ${releasePercent} %, CPU of the checkout beside`,
    measured: series.ratio(released, beside, 'concurrentCpu'),
  }),
];

function tablesOf(series: Series, variants: readonly Variant[]): Table[] {
  const names = variants.map(({ name }) => name);
  return [
    seriesTable(series, names, {
      title: `End to end: webhook in, answer at the messenger (${many} and 1 in flight)`,
      first: 'build',
      columns,
      notes: [
        'inline: one process, both calls with fetch, nothing checked and nothing kept: the floor of the two calls.',
      ],
    }),
    ...(names.includes(beside) ? [ratioTable(series, [own, released], beside)] : []),
    ratioTable(series, [released], own),
    byProcess(series, variants),
  ];
}

const columns: Column[] = [
  ['messages/s', 'concurrentPerSecond'],
  ['p50 ms', 'concurrentP50Ms'],
  ['p99 ms', 'concurrentP99Ms'],
  ['p50 ms alone', 'aloneP50Ms'],
  ['p99 ms alone', 'aloneP99Ms'],
  ['CPU-s/1k', 'concurrentCpu'],
  ['CPU-s/1k alone', 'aloneCpu'],
  ['CPU of inline', 'concurrentCpu', 'inline'],
];

const ratioTable = (series: Series, names: readonly string[], reference: string): Table =>
  seriesTable(series, names, {
    title: `End to end: ratios to ${reference}, each within a round`,
    first: 'build',
    columns: [
      ['CPU', 'concurrentCpu', reference],
      ['p50', 'concurrentP50Ms', reference],
      ['CPU alone', 'aloneCpu', reference],
      ['p50 alone', 'aloneP50Ms', reference],
      ['CPU of nats', 'concurrentCpu:nats', reference],
      ['CPU of nats alone', 'aloneCpu:nats', reference],
    ],
    notes: [
      'nats is the same program in both and carries the same events: its ratio is mostly that of the machine.',
    ],
  });

function byProcess(series: Series, variants: readonly Variant[]): Table {
  const { pids = {} } = variants.find(({ name }) => name === own) ?? {};
  const share = (group: string) => series.of(own, `concurrentCpu:${group}`)?.median ?? 0;
  const groups = Object.keys(pids).toSorted((left, right) => share(right) - share(left));
  const all = groups.reduce((sum, group) => sum + share(group), 0);
  return {
    title: `End to end: CPU-s/1k by process, ${many} in flight`,
    head: ['process', 'CPU-s/1k', 'share', 'CPU-s/1k alone', 'CPU-s/1k beside'],
    rows: groups.map((group) => [
      group,
      spread(series.of(own, `concurrentCpu:${group}`)),
      `${figure((share(group) / all) * 100)} %`,
      spread(series.of(own, `aloneCpu:${group}`)),
      spread(series.of(beside, `concurrentCpu:${group}`)),
    ]),
    notes: [],
  };
}
