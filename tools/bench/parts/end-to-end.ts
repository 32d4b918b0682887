import type { Groups } from '../../rig/processes.ts';
import { Series } from '../../rig/series.ts';
import { type Column, figure, seriesTable, spread, type Table } from '../../rig/table.ts';
import { answerChecks, botToken, checkRefusal, startWithBots } from '../installation/installation.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { ConversationResult, Target } from '../load/messages.ts';
import { figuresOf, withCpu } from '../measure/loaded.ts';
import { interleave } from '../measure/rounds.ts';
import type { Bench, Part } from '../part.ts';
import { startPeer } from '../peers/peer-process.ts';
import { atMost } from '../report/aims.ts';
import { beside } from './reads.ts';

/** Our send limits are 25/s per bot and 1/s per chat. There are enough of both that the limits don't apply. */
const size = { tenants: 4, botsPerTenant: 12 };
const chatsPerTarget = 100;
const many = 16;
/** V8 compiles the whole path of a message only after some thousand runs. Earlier runs cost about a third more. */
const warmUpMessages = 3000;

interface Variant {
  name: string;
  port: number;
  pids: Groups;
  targets: Target[];
}

/** Measures the whole path from the update to the answer at the messenger, with a model that answers immediately. */
export const endToEnd: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const variants = await startVariants(bench, load);
  const refusals = variants
    .filter(({ name }) => name !== 'inline')
    .map(({ name, port, targets }) => checkRefusal(name, port, targets[0]!));
  const checks = await Promise.all(refusals);
  const series = new Series();
  const results = new Map<string, ConversationResult[]>();
  const run = async ({ name, port, pids, targets }: Variant, inFlight: number, messages: number) => {
    const plan = { port, targets, chatsPerTarget, inFlight, messages };
    const result = await withCpu(pids, () => load.converse(plan));
    results.set(name, [...(results.get(name) ?? []), result]);
    return result;
  };
  say('warming up');
  for (const variant of variants) await run(variant, many, warmUpMessages);
  await interleave(variants, rounds, async (variant, round) => {
    say(`round ${round + 1}/${rounds}: ${variant.name}, 1 in flight`);
    const alone = await run(variant, 1, Math.round(60 * seconds));
    say(`round ${round + 1}/${rounds}: ${variant.name}, ${many} in flight`);
    const concurrent = await run(variant, many, Math.round(250 * seconds));
    series.add(variant.name, { ...figuresOf('alone', alone), ...figuresOf('concurrent', concurrent) });
  });
  return {
    tables: [
      seriesTable(
        series,
        variants.map(({ name }) => name),
        {
          title: `End to end: webhook in, answer at the messenger (1 and ${many} in flight)`,
          first: 'build',
          columns,
          notes: [
            'inline: one process, both calls with fetch, nothing checked and nothing kept: the floor of the two calls.',
          ],
        },
      ),
      byProcess(series, variants),
    ],
    checks: [...checks, ...[...results].flatMap(([name, all]) => answerChecks(name, all))],
    aims: [
      atMost(10, {
        id: 'E2',
        what: 'end to end, p50 with one message in flight',
        unit: 'ms',
        measured: series.of('botyard', 'aloneP50Ms'),
      }),
    ],
    rounds: series,
  };
};

async function startVariants(bench: Bench, load: LoadProcess): Promise<Variant[]> {
  const { messengerUrl, modelUrl } = await load.platforms();
  const env = { MESSENGER_URL: messengerUrl, MODEL_URL: modelUrl, BOT_TOKEN: botToken(999_999) };
  const inline = await startPeer('inline-bot', { cleanup: bench.cleanup, env });
  const own = async (name: string, checkout?: string): Promise<Variant> => {
    const { installation, targets } = await startWithBots(bench, load, size, checkout);
    return { name, port: installation.gatewayPort, pids: installation.pids, targets };
  };
  return [
    {
      name: 'inline',
      port: inline.port,
      pids: { server: inline.pid },
      targets: [{ path: '/', headers: {} }],
    },
    ...(bench.beside ? [await own(beside, bench.beside)] : []),
    await own('botyard'),
  ];
}

const columns: Column[] = [
  ['p50 ms alone', 'aloneP50Ms'],
  ['p99 ms alone', 'aloneP99Ms'],
  ['messages/s', 'concurrentPerSecond'],
  ['p50 ms', 'concurrentP50Ms'],
  ['p99 ms', 'concurrentP99Ms'],
  ['CPU-s/1k', 'concurrentCpu'],
  ['of inline', 'concurrentCpu', 'inline'],
  ['of beside', 'concurrentCpu', beside],
  ['CPU-s/1k alone', 'aloneCpu'],
  ['of beside', 'aloneCpu', beside],
];

function byProcess(series: Series, variants: readonly Variant[]): Table {
  const { pids = {} } = variants.find(({ name }) => name === 'botyard') ?? {};
  const share = (group: string) => series.of('botyard', `concurrentCpu:${group}`)?.median ?? 0;
  const groups = Object.keys(pids).toSorted((left, right) => share(right) - share(left));
  const all = groups.reduce((sum, group) => sum + share(group), 0);
  return {
    title: `End to end: CPU-s/1k by process, ${many} in flight`,
    head: ['process', 'CPU-s/1k', 'share', 'CPU-s/1k alone', 'CPU-s/1k beside'],
    rows: groups.map((group) => [
      group,
      spread(series.of('botyard', `concurrentCpu:${group}`)),
      `${figure((share(group) / all) * 100)} %`,
      spread(series.of('botyard', `aloneCpu:${group}`)),
      spread(series.of(beside, `concurrentCpu:${group}`)),
    ]),
    notes: [],
  };
}
