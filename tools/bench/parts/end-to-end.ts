import { botToken } from '../house/bots.ts';
import { answerChecks, startMessagingHouse } from '../house/messaging.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { ConversationResult, WebhookTarget } from '../load/messages.ts';
import { type ByGroup, cpuSeconds, difference, type Groups, sumOf } from '../measure/processes.ts';
import { interleave } from '../measure/rounds.ts';
import { Series } from '../measure/series.ts';
import type { Bench, Part } from '../part.ts';
import { startPeer } from '../peers/peer-process.ts';
import { figure, spread, type Table, times } from '../report/table.ts';

/** Our own pace is 25/s for a bot and 1/s for a chat: enough of both that it never holds anything back. */
const tenants = 4;
const botsPerTenant = 12;
const chatsPerBot = 100;
const many = 16;

interface Variant {
  name: string;
  port: number;
  pids: Groups;
  targets: WebhookTarget[];
}

/** From the update to the answer at the messenger, over everything, with a model that answers at once. */
export const endToEnd: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const variants = await startVariants(bench, load);
  const series = new Series();
  const seen: { name: string; result: ConversationResult }[] = [];
  const run = async ({ name, port, pids, targets }: Variant, inFlight: number, messages: number) => {
    const before = cpuSeconds(pids);
    const result = await load.converse({ port, targets, chatsPerTarget: chatsPerBot, inFlight, messages });
    seen.push({ name, result });
    return { ...result, cpu: difference(cpuSeconds(pids), before) };
  };
  say('warming up');
  for (const variant of variants) await run(variant, many, 600);
  await interleave(variants, rounds, async (variant, round) => {
    say(`round ${round + 1}/${rounds}: ${variant.name}, 1 in flight`);
    const alone = await run(variant, 1, Math.round(60 * seconds));
    say(`round ${round + 1}/${rounds}: ${variant.name}, ${many} in flight`);
    const crowd = await run(variant, many, Math.round(250 * seconds));
    series.add(variant.name, { ...figures('alone', alone), ...figures('crowd', crowd) });
  });
  const checks = variants.flatMap(({ name }) =>
    answerChecks(
      name,
      seen.filter((one) => one.name === name).map(({ result }) => result),
    ),
  );
  return { tables: [table(series, variants), byProcess(series, variants)], checks, rounds: series };
};

function figures(name: string, result: ConversationResult & { cpu: ByGroup }): Record<string, number> {
  const { cpu, answered, seconds, p50Ms, p99Ms, maxMs } = result;
  const perThousand = (value: number) => (value / answered) * 1000;
  const processes = Object.entries(cpu).map(([group, value]) => [`${name}Cpu:${group}`, perThousand(value)]);
  return {
    [`${name}PerSecond`]: answered / seconds,
    [`${name}P50Ms`]: p50Ms,
    [`${name}P99Ms`]: p99Ms,
    [`${name}MaxMs`]: maxMs,
    [`${name}Cpu`]: perThousand(sumOf(cpu)),
    ...Object.fromEntries(processes),
  };
}

async function startVariants(bench: Bench, load: LoadProcess): Promise<Variant[]> {
  const { cleanup } = bench;
  const { messengerUrl, modelUrl } = await load.platforms();
  const env = { MESSENGER_URL: messengerUrl, MODEL_URL: modelUrl, BOT_TOKEN: botToken(999_999) };
  const inline = await startPeer('inline-bot', { cleanup, env });
  const { house, targets } = await startMessagingHouse(bench, load, { tenants, botsPerTenant });
  return [
    {
      name: 'inline',
      port: inline.port,
      pids: { server: inline.pid },
      targets: [{ path: '/', headers: {} }],
    },
    { name: 'botyard', port: house.gatewayPort, pids: house.pids, targets },
  ];
}

function table(series: Series, variants: readonly Variant[]): Table {
  return {
    title: `End to end: webhook in, answer at the messenger (1 and ${many} in flight)`,
    head: [
      'build',
      'p50 ms alone',
      'p99 ms alone',
      'messages/s',
      'p50 ms',
      'p99 ms',
      'CPU-s/1k',
      'of inline',
      'CPU-s/1k alone',
    ],
    rows: variants.map(({ name }) => [
      name,
      spread(series.of(name, 'aloneP50Ms')),
      spread(series.of(name, 'aloneP99Ms')),
      spread(series.of(name, 'crowdPerSecond')),
      spread(series.of(name, 'crowdP50Ms')),
      spread(series.of(name, 'crowdP99Ms')),
      spread(series.of(name, 'crowdCpu')),
      times(series.ratio(name, 'inline', 'crowdCpu')),
      spread(series.of(name, 'aloneCpu')),
    ]),
    notes: [
      'inline: one process, both calls with fetch, nothing checked and nothing kept: the floor of the two calls.',
    ],
  };
}

function byProcess(series: Series, variants: readonly Variant[]): Table {
  const { pids = {} } = variants.find(({ name }) => name === 'botyard') ?? {};
  const share = (group: string) => series.of('botyard', `crowdCpu:${group}`)?.median ?? 0;
  const groups = Object.keys(pids).toSorted((left, right) => share(right) - share(left));
  const all = groups.reduce((sum, group) => sum + share(group), 0);
  return {
    title: `End to end: CPU-s/1k by process, ${many} in flight`,
    head: ['process', 'CPU-s/1k', 'share', 'CPU-s/1k alone'],
    rows: groups.map((group) => [
      group,
      spread(series.of('botyard', `crowdCpu:${group}`)),
      `${figure((share(group) / all) * 100)} %`,
      spread(series.of('botyard', `aloneCpu:${group}`)),
    ]),
    notes: [],
  };
}
