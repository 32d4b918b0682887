import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type House, startHouse } from '../house/house.ts';
import { type ByGroup, cpuSeconds, difference, pssMib, sumOf } from '../measure/processes.ts';
import { Series } from '../measure/series.ts';
import type { Bench, Part } from '../part.ts';
import { startPeer } from '../peers/peer-process.ts';
import { spread, type Table, times } from '../report/table.ts';

const restMs = 4000;
const watchMs = 4000;
const variants = ['bare', 'first', 'second'] as const;
type Variant = (typeof variants)[number];
const titles: Record<Variant, string> = {
  bare: 'one node:http process',
  first: 'Botyard, empty DATA_DIR',
  second: 'Botyard, second start',
};

/** How long `npm start` takes once installed, and what everything together holds and does when nobody asks anything of it. */
export const start: Part = async (bench) => {
  const { rounds, dir, say } = bench;
  const series = new Series();
  for (let round = 0; round < rounds; round += 1) {
    const dataDir = join(dir, `house-${round}`);
    say(`round ${round + 1}/${rounds}: ${titles.bare}`);
    series.add('bare', await measureBare(bench));
    for (const variant of ['first', 'second'] as const) {
      say(`round ${round + 1}/${rounds}: ${titles[variant]}`);
      series.add(variant, await measureHouse(bench, dataDir));
    }
  }
  return { tables: [table(series), byProcess(series)], checks: [], rounds: series };
};

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

async function measureHouse({ cleanup }: Bench, dataDir: string): Promise<Record<string, number>> {
  const house = await startHouse({ dataDir, cleanup });
  const startCpu = sumOf(cpuSeconds(house.pids));
  const idle = await measureIdle(house);
  const begin = performance.now();
  await house.stop();
  const stopSeconds = (performance.now() - begin) / 1000;
  const { healthySeconds, seededSeconds } = house;
  return { healthySeconds, seededSeconds, startCpu, ...idle, stopSeconds };
}

async function measureIdle({ pids }: House): Promise<Record<string, number>> {
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

function table(series: Series): Table {
  return {
    title: 'Start, and memory after 4 s without requests',
    head: [
      'what',
      'healthy s',
      'demo made s',
      'CPU-s to there',
      'PSS MiB',
      'PSS of bare',
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
      spread(series.of(variant, 'idlePercent')),
      spread(series.of(variant, 'stopSeconds')),
    ]),
    notes: [
      'With the sandbox platforms, as `npm start` runs it. PSS: shared pages divided among those that share them.',
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
