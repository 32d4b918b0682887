import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ByGroup, cpuSeconds, difference, type Groups, pssMib, sumOf } from '../../rig/processes.ts';
import { Series } from '../../rig/series.ts';
import { seriesTable, spread, type Table } from '../../rig/table.ts';
import { startInstallation } from '../installation/installation.ts';
import type { Bench, Part } from '../part.ts';
import { startPeer } from '../peers/peer-process.ts';
import { type Aim, atMost } from '../report/aims.ts';

/** Longer than the idle timeout of pooled connections. */
const restMs = 70_000;
const watchMs = 20_000;
const bare = 'one node:http process';
const first = 'Botyard, empty DATA_DIR';
const second = 'Botyard, second start';

/** Measures `npm start` on an installed checkout, and the memory and CPU of all processes at rest. */
export const start: Part = async (bench) => {
  const { rounds, dir, say } = bench;
  const series = new Series();
  for (let round = 0; round < rounds; round += 1) {
    say(`round ${round + 1}/${rounds}: ${bare}`);
    series.add(bare, await measureBare(bench));
    for (const name of [first, second]) {
      say(`round ${round + 1}/${rounds}: ${name}`);
      series.add(name, await measureInstallation(bench, join(dir, `installation-${round}`)));
    }
  }
  return {
    tables: [
      seriesTable(series, [bare, first, second], {
        title: 'Start, and memory after 70 s without requests',
        first: 'what',
        columns: [
          ['healthy s', 'healthySeconds'],
          ['demo made s', 'seededSeconds'],
          ['CPU-s to there', 'startCpu'],
          ['PSS MiB', 'pss'],
          ['PSS of bare', 'pss', bare],
          ['idle CPU %', 'idlePercent'],
          ['stop s', 'stopSeconds'],
        ],
        notes: [
          'With the sandbox platforms, as `npm start` runs it. PSS: shared pages divided among those that share them.',
        ],
      }),
      byProcess(series),
    ],
    checks: [],
    aims: aims(series),
    rounds: series,
  };
};

function aims(series: Series): Aim[] {
  const aim = (id: string, limit: number, what: string, unit: string, [name, metric]: [string, string]) =>
    atMost(limit, { id, what, unit, measured: series.of(name, metric) });
  return [
    aim('C1', 6, 'ready, everything included', 's', [second, 'healthySeconds']),
    aim('C2', 400, 'memory (PSS) at rest, everything', 'MiB', [second, 'pss']),
    aim('C2', 3, 'CPU at rest, everything', '% of a core', [second, 'idlePercent']),
    aim('C3', 4, 'ready with an empty folder', 's', [first, 'healthySeconds']),
    aim('C3', 6, 'CPU of such a start', 's', [first, 'startCpu']),
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

async function measureInstallation(bench: Bench, dataDir: string): Promise<Record<string, number>> {
  const { pids, healthySeconds, seededSeconds, stop } = await startInstallation(bench, { dataDir });
  const startCpu = sumOf(cpuSeconds(pids));
  const idle = await measureIdle(pids);
  const begin = performance.now();
  await stop();
  const stopSeconds = (performance.now() - begin) / 1000;
  return { healthySeconds, seededSeconds, startCpu, ...idle, stopSeconds };
}

async function measureIdle(pids: Groups): Promise<Record<string, number>> {
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
      spread(series.of(first, `pss:${group}`)),
      spread(series.of(second, `pss:${group}`)),
      spread(series.of(second, `idlePercent:${group}`)),
    ]),
    notes: [],
  };
}
