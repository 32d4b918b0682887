import { readFileSync } from 'node:fs';
import { freePort } from '../../embedded/free-port.ts';
import { Cleanup } from '../cleanup.ts';
import type { Installation } from '../installation/installation.ts';
import { answerChecks, startMessagingInstallation } from '../installation/messaging.ts';
import { startServiceProcess } from '../installation/service-process.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { ConversationResult } from '../load/messages.ts';
import { cpuSeconds, difference, sumOf } from '../measure/processes.ts';
import { interleave } from '../measure/rounds.ts';
import { Series } from '../measure/series.ts';
import type { Part } from '../part.ts';
import type { Chart } from '../report/chart.ts';
import { figure, spread, type Table, times } from '../report/table.ts';

const tenants = 4;
const botsPerTenant = 12;
const chatsPerBot = 100;
const variants = [1, 2, 4].map((count) => ({ name: count === 1 ? '1 worker' : `${count} workers`, count }));
/** While a model waits, it occupies one of the 64 slots of a process. */
const models = [
  { name: 'a model that answers at once', modelTakesMs: 0, inFlight: 64 },
  { name: 'a model that takes 1 s', modelTakesMs: 1000, inFlight: 256 },
];

/** Measures messages per second by the number of agents processes, with each of the models. */
export const workers: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const { installation, targets } = await startMessagingInstallation(bench, load, { tenants, botsPerTenant });
  const run = (messages: number, { inFlight, modelTakesMs }: (typeof models)[number]) =>
    load.converse({
      port: installation.gatewayPort,
      targets,
      chatsPerTarget: chatsPerBot,
      inFlight,
      modelTakesMs,
      messages,
    });
  say('warming up');
  await run(600, models[0]!);
  const series = new Map(models.map(({ name }) => [name, new Series()]));
  const seen: ConversationResult[] = [];
  await interleave(variants, rounds, async ({ name, count }, round) => {
    const more = new Cleanup();
    await cleanup.add(() => more.run());
    const extra = await startMore(installation, count - 1, more);
    const pids = {
      ...installation.pids,
      ...Object.fromEntries(extra.map((pid, index) => [`agents ${index + 2}`, pid])),
    };
    for (const model of models) {
      say(`round ${round + 1}/${rounds}: ${name}, ${model.name}`);
      const before = cpuSeconds(pids);
      const result = await run(Math.round(250 * seconds), model);
      const cpu = (sumOf(difference(cpuSeconds(pids), before)) / result.answered) * 1000;
      seen.push(result);
      const { answered, seconds: took, p50Ms, p99Ms } = result;
      const perSecond = answered / took;
      series.get(model.name)!.add(name, { perSecond, perWorker: perSecond / count, p50Ms, p99Ms, cpu });
    }
    await more.run();
  });
  const atOnce = series.get(models[0]!.name)!;
  return {
    tables: models.map((model) => table(series.get(model.name)!, model)),
    checks: answerChecks('workers', seen),
    charts: [chart(atOnce)],
    rounds: atOnce,
  };
};

const chart = (series: Series): Chart => ({
  file: 'growth-workers',
  title: 'Messages a second by processes of agents',
  x: { label: 'processes of agents', values: variants.map(({ count }) => count) },
  yLabel: 'messages/s',
  lines: [
    {
      name: 'all together',
      values: variants.map(({ name }) => series.of(name, 'perSecond')?.median ?? Number.NaN),
    },
  ],
});

/** Starts more agents processes with the settings of the running one. Returns their process IDs. */
async function startMore(installation: Installation, count: number, cleanup: Cleanup): Promise<number[]> {
  const env = Object.fromEntries(
    readFileSync(`/proc/${installation.pids.agents}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)] as const)
      // The channel to the launcher belongs to the running process.
      .filter(([name]) => !name.startsWith('NODE_CHANNEL')),
  );
  const started = Array.from({ length: count }, async () =>
    startServiceProcess('agents', { env, port: await freePort(), cleanup }),
  );
  return await Promise.all(started);
}

function table(series: Series, { name: model, inFlight }: (typeof models)[number]): Table {
  return {
    title: `Workers: messages/s by processes of agents, ${figure(inFlight)} in flight, ${model}`,
    head: ['agents', 'messages/s', 'per worker', 'of 1 worker', 'p50 ms', 'p99 ms', 'CPU-s/1k'],
    rows: variants.map(({ name }) => [
      name,
      spread(series.of(name, 'perSecond')),
      spread(series.of(name, 'perWorker')),
      times(series.ratio(name, '1 worker', 'perSecond')),
      spread(series.of(name, 'p50Ms')),
      spread(series.of(name, 'p99Ms')),
      spread(series.of(name, 'cpu')),
    ]),
    notes: [
      'All processes, Postgres and nats-server share the machine: more workers help while it has cores to give.',
    ],
  };
}
