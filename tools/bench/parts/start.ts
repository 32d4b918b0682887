import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { webhookSecret } from '../installation/bots.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { type ByGroup, cpuSeconds, difference, pssMib, sumOf } from '../measure/processes.ts';
import { Series } from '../measure/series.ts';
import type { Bench, Part } from '../part.ts';
import { orLeftOut } from '../peers/fetch/left-out.ts';
import { type PreparedN8n, prepareN8n } from '../peers/n8n/start.ts';
import { webhookWorkflow } from '../peers/n8n/workflows.ts';
import { startPeer } from '../peers/peer-process.ts';
import { type Aim, atMost } from '../report/aims.ts';
import { spread, type Table, times } from '../report/table.ts';

/** Longer than the idle timeout of pooled connections. */
const restMs = 70_000;
const watchMs = 20_000;
const variants = ['bare', 'n8n', 'first', 'second'] as const;
type Variant = (typeof variants)[number];
const titles: Record<Variant, string> = {
  bare: 'one node:http process',
  n8n: 'n8n, second start',
  first: 'Botyard, empty DATA_DIR',
  second: 'Botyard, second start',
};

/** Measures `npm start` on an installed checkout, and the memory and CPU of all processes at rest. */
export const start: Part = async (bench) => {
  const { rounds, dir, say } = bench;
  const series = new Series();
  const notes: string[] = [];
  const [n8n] = await orLeftOut({ name: 'n8n', notes }, () =>
    prepareN8n(bench, webhookWorkflow(webhookSecret)),
  );
  if (n8n)
    notes.push(
      `n8n ${n8n.version}: with sqlite, its database migrated beforehand; ready when its webhook is.`,
    );
  for (let round = 0; round < rounds; round += 1) {
    const dataDir = join(dir, `installation-${round}`);
    say(`round ${round + 1}/${rounds}: ${titles.bare}`);
    series.add('bare', await measureBare(bench));
    if (n8n) {
      say(`round ${round + 1}/${rounds}: ${titles.n8n}`);
      series.add('n8n', await measureN8n(n8n));
    }
    for (const variant of ['first', 'second'] as const) {
      say(`round ${round + 1}/${rounds}: ${titles[variant]}`);
      series.add(variant, await measureInstallation(bench, dataDir));
    }
  }
  return {
    tables: [table(series, notes), byProcess(series)],
    checks: [],
    aims: aims(series),
    rounds: series,
  };
};

function aims(series: Series): Aim[] {
  const measured = series.of('second', 'healthySeconds');
  return [
    atMost(6, { id: 'C1', what: 'ready, everything included', unit: 's', measured }),
    atMost(0.75, {
      id: 'C1',
      what: "memory (PSS) at rest of n8n's",
      measured: series.ratio('second', 'n8n', 'pss'),
    }),
    atMost(400, {
      id: 'C2',
      what: 'memory (PSS) at rest, everything',
      unit: 'MiB',
      measured: series.of('second', 'pss'),
    }),
    atMost(3, {
      id: 'C2',
      what: 'CPU at rest, everything',
      unit: '% of a core',
      measured: series.of('second', 'idlePercent'),
    }),
    atMost(4, {
      id: 'C3',
      what: 'ready with an empty folder',
      unit: 's',
      measured: series.of('first', 'healthySeconds'),
    }),
    atMost(6, {
      id: 'C3',
      what: 'CPU of such a start',
      unit: 's',
      measured: series.of('first', 'startCpu'),
    }),
  ];
}

async function measureBare({ cleanup }: Bench): Promise<Record<string, number>> {
  const begin = performance.now();
  const { pid } = await startPeer('bare-server', { cleanup });
  const seconds = (performance.now() - begin) / 1000;
  const pids = { server: pid };
  const startCpu = sumOf(cpuSeconds(pids));
  await pause(500);
  const pss = sumOf(pssMib(pids));
  await cleanup.run();
  return { healthySeconds: seconds, seededSeconds: seconds, startCpu, pss };
}

async function measureN8n(n8n: PreparedN8n): Promise<Record<string, number>> {
  const begin = performance.now();
  const started = await n8n.start();
  const seconds = (performance.now() - begin) / 1000;
  const pids = { n8n: started.pid };
  const startCpu = sumOf(cpuSeconds(pids));
  const idle = await measureIdle({ pids });
  const stopBegin = performance.now();
  await started.stop();
  const stopSeconds = (performance.now() - stopBegin) / 1000;
  return { healthySeconds: seconds, startCpu, ...idle, stopSeconds };
}

async function measureInstallation({ cleanup }: Bench, dataDir: string): Promise<Record<string, number>> {
  const installation = await startInstallation({ dataDir, cleanup });
  const startCpu = sumOf(cpuSeconds(installation.pids));
  const idle = await measureIdle(installation);
  const begin = performance.now();
  await installation.stop();
  const stopSeconds = (performance.now() - begin) / 1000;
  const { healthySeconds, seededSeconds } = installation;
  return { healthySeconds, seededSeconds, startCpu, ...idle, stopSeconds };
}

async function measureIdle({ pids }: Pick<Installation, 'pids'>): Promise<Record<string, number>> {
  await pause(restMs);
  const pss = pssMib(pids);
  const before = cpuSeconds(pids);
  await pause(watchMs);
  const used = difference(cpuSeconds(pids), before);
  const percent = (value: number) => (value / (watchMs / 1000)) * 100;
  const named = (prefix: string, values: ByGroup, read = (value: number) => value) =>
    Object.entries(values).map(([group, value]) => [`${prefix}:${group}`, read(value)]);
  return {
    pss: sumOf(pss),
    idlePercent: percent(sumOf(used)),
    ...Object.fromEntries([...named('pss', pss), ...named('idlePercent', used, percent)]),
  };
}

function table(series: Series, notes: readonly string[]): Table {
  return {
    title: 'Start, and memory after 70 s without requests',
    head: [
      'what',
      'healthy s',
      'demo made s',
      'CPU-s to there',
      'PSS MiB',
      'PSS of bare',
      'PSS of n8n',
      'idle CPU %',
      'stop s',
    ],
    rows: variants.map((variant) => [
      titles[variant],
      spread(series.of(variant, 'healthySeconds')),
      spread(series.of(variant, 'seededSeconds')),
      spread(series.of(variant, 'startCpu')),
      spread(series.of(variant, 'pss')),
      times(series.ratio(variant, 'bare', 'pss')),
      times(series.ratio(variant, 'n8n', 'pss')),
      spread(series.of(variant, 'idlePercent')),
      spread(series.of(variant, 'stopSeconds')),
    ]),
    notes: [
      'With the sandbox platforms, as `npm start` runs it. PSS: shared pages divided among those that share them.',
      ...notes,
    ],
  };
}

const order = [
  'launcher',
  'postgres',
  'nats',
  'sandbox',
  'gateway',
  'tenancy',
  'keys',
  'usage',
  'webhooks',
  'agents',
];

function byProcess(series: Series): Table {
  return {
    title: 'Memory by process',
    head: ['process', 'PSS MiB, first start', 'PSS MiB, second start', 'idle CPU %'],
    rows: order.map((group) => [
      group,
      spread(series.of('first', `pss:${group}`)),
      spread(series.of('second', `pss:${group}`)),
      spread(series.of('second', `idlePercent:${group}`)),
    ]),
    notes: [],
  };
}
