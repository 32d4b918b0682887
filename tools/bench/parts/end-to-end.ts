import { botToken, webhookSecret } from '../installation/bots.ts';
import { answerChecks, startMessagingInstallation } from '../installation/messaging.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { ConversationResult, WebhookTarget } from '../load/messages.ts';
import { type ByGroup, cpuSeconds, difference, type Groups, sumOf } from '../measure/processes.ts';
import { interleave } from '../measure/rounds.ts';
import { Series } from '../measure/series.ts';
import type { Bench, Part } from '../part.ts';
import { orLeftOut } from '../peers/fetch/left-out.ts';
import { startGrammy } from '../peers/grammy/start.ts';
import { startN8nBot } from '../peers/n8n/start.ts';
import { startPeer } from '../peers/peer-process.ts';
import { type Aim, atMost } from '../report/aims.ts';
import { type Check, figure, spread, type Table, times } from '../report/table.ts';

/** Our send limits are 25/s per bot and 1/s per chat. There are enough of both that the limits don't apply. */
const tenants = 4;
const botsPerTenant = 12;
const chatsPerBot = 100;
const many = 16;
/** V8 compiles the whole path of a message only after some thousand runs. Earlier runs cost about a third more. */
const warmUpMessages = 3000;
const [grammy, n8n] = ['grammY + BullMQ', 'n8n'];
const beside = 'botyard beside';

interface Variant {
  name: string;
  port: number;
  pids: Groups;
  targets: WebhookTarget[];
}

/** Measures the whole path from the update to the answer at the messenger, with a model that answers immediately. */
export const endToEnd: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const notes: string[] = [];
  const variants = await startVariants(bench, load, notes);
  const refusals = await Promise.all(variants.map(checkRefusal));
  const series = new Series();
  const seen: { name: string; result: ConversationResult }[] = [];
  const run = async ({ name, port, pids, targets }: Variant, inFlight: number, messages: number) => {
    const before = cpuSeconds(pids);
    const result = await load.converse({ port, targets, chatsPerTarget: chatsPerBot, inFlight, messages });
    seen.push({ name, result });
    return { ...result, cpu: difference(cpuSeconds(pids), before) };
  };
  say('warming up');
  for (const variant of variants) await run(variant, many, warmUpMessages);
  await interleave(variants, rounds, async (variant, round) => {
    say(`round ${round + 1}/${rounds}: ${variant.name}, 1 in flight`);
    const alone = await run(variant, 1, Math.round(60 * seconds));
    say(`round ${round + 1}/${rounds}: ${variant.name}, ${many} in flight`);
    const concurrent = await run(variant, many, Math.round(250 * seconds));
    series.add(variant.name, { ...figures('alone', alone), ...figures('concurrent', concurrent) });
  });
  const checks = variants.flatMap(({ name }) =>
    answerChecks(
      name,
      seen.filter((one) => one.name === name).map(({ result }) => result),
    ),
  );
  return {
    tables: [table(series, variants, notes), byProcess(series, variants)],
    checks: [...refusals.flat(), ...checks],
    aims: aims(series),
    rounds: series,
  };
};

function aims(series: Series): Aim[] {
  const cpuOf = (reference: string) => series.ratio('botyard', reference, 'concurrentCpu');
  return [
    atMost(1, { id: 'E1', what: 'end to end, CPU of grammY + BullMQ', measured: cpuOf(grammy) }),
    atMost(0.04, { id: 'E1', what: 'end to end, CPU of n8n', measured: cpuOf(n8n) }),
    atMost(10, {
      id: 'E2',
      what: 'end to end, p50 with one message in flight',
      unit: 'ms',
      measured: series.of('botyard', 'aloneP50Ms'),
    }),
  ];
}

/** Checks that an update without the right secret is rejected. */
async function checkRefusal({ name, port, targets: [target] }: Variant): Promise<Check[]> {
  if (name === 'inline' || !target) return [];
  const headers = {
    ...target.headers,
    'x-telegram-bot-api-secret-token': 'wrong',
    'content-type': 'application/json',
  };
  const init = { method: 'POST', headers, body: '{"update_id":1}' };
  const { status } = await fetch(`http://127.0.0.1:${port}${target.path}`, init);
  const isRight = [401, 403].includes(status);
  return [{ what: `${name} refuses a wrong secret`, isRight, detail: `found ${status}` }];
}

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

async function startVariants(bench: Bench, load: LoadProcess, notes: string[]): Promise<Variant[]> {
  const { cleanup } = bench;
  const platforms = await load.platforms();
  const { messengerUrl, modelUrl } = platforms;
  const env = { MESSENGER_URL: messengerUrl, MODEL_URL: modelUrl, BOT_TOKEN: botToken(999_999) };
  const inline = await startPeer('inline-bot', { cleanup, env });
  const others = bench.isOwnOnly ? [] : await startOthers(bench, platforms, notes);
  return [
    {
      name: 'inline',
      port: inline.port,
      pids: { server: inline.pid },
      targets: [{ path: '/', headers: {} }],
    },
    ...others,
    ...(bench.beside ? [await startOwn(bench, load, { name: beside, checkout: bench.beside })] : []),
    await startOwn(bench, load, { name: 'botyard' }),
  ];
}

async function startOwn(
  bench: Bench,
  load: LoadProcess,
  { name, checkout }: { name: string; checkout?: string },
): Promise<Variant> {
  const size = { tenants, botsPerTenant };
  const { installation, targets } = await startMessagingInstallation(bench, load, size, checkout);
  return { name, port: installation.gatewayPort, pids: installation.pids, targets };
}

async function startOthers(
  bench: Bench,
  platforms: Awaited<ReturnType<LoadProcess['platforms']>>,
  notes: string[],
): Promise<Variant[]> {
  return [
    ...(await orLeftOut({ name: grammy, notes }, async () => {
      const { port, pids, redisVersion } = await startGrammy(bench, platforms);
      notes.push(
        `grammY + BullMQ: Redis ${redisVersion}, AOF each second; 64 jobs at once in the same process.`,
      );
      const headers = { 'x-telegram-bot-api-secret-token': webhookSecret };
      return { name: grammy, port, pids, targets: [{ path: '/', headers }] };
    })),
    ...(await orLeftOut({ name: n8n, notes }, async () => {
      const { port, pid, targets, version } = await startN8nBot(bench, platforms);
      notes.push(
        `n8n ${version}: Telegram Trigger -> HTTP Request -> Telegram; legacy expression engine, sqlite.`,
      );
      return { name: n8n, port, pids: { n8n: pid }, targets };
    })),
  ];
}

function table(series: Series, variants: readonly Variant[], notes: readonly string[]): Table {
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
      'of grammY',
      'of n8n',
      'of beside',
      'CPU-s/1k alone',
    ],
    rows: variants.map(({ name }) => [
      name,
      spread(series.of(name, 'aloneP50Ms')),
      spread(series.of(name, 'aloneP99Ms')),
      spread(series.of(name, 'concurrentPerSecond')),
      spread(series.of(name, 'concurrentP50Ms')),
      spread(series.of(name, 'concurrentP99Ms')),
      spread(series.of(name, 'concurrentCpu')),
      times(series.ratio(name, 'inline', 'concurrentCpu')),
      times(series.ratio(name, grammy, 'concurrentCpu')),
      times(series.ratio(name, n8n, 'concurrentCpu')),
      times(series.ratio(name, beside, 'concurrentCpu')),
      spread(series.of(name, 'aloneCpu')),
    ]),
    notes: [
      'inline: one process, both calls with fetch, nothing checked and nothing kept: the floor of the two calls.',
      ...notes,
    ],
  };
}

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
