import { setTimeout as pause } from 'node:timers/promises';
import { type ByGroup, cpuSeconds, difference, type Groups, pssMib } from '../../rig/processes.ts';
import { Series } from '../../rig/series.ts';
import { check, seriesTable } from '../../rig/table.ts';
import { createWebchat, startWithBots } from '../installation/installation.ts';
import { LoadProcess } from '../load/load-process.ts';
import { Visitors } from '../load/visitors.ts';
import type { Part } from '../part.ts';

const count = 1000;
/** Open streams say that they are alive every 15 s. */
const watchMs = 30_000;
const settleMs = 10_000;
const measured = ['gateway', 'webhooks'] as const;
const [closed, resting, talking] = [
  'no visitor',
  `${count} visitors, at rest`,
  `${count} visitors, each gets a message`,
];

/** Measures the gateway and webhooks with a thousand open visitors of one web chat. */
export const visitors: Part = async (bench) => {
  const { rounds, say } = bench;
  const series = new Series();
  const load = await LoadProcess.start(bench.cleanup);
  const { installation } = await startWithBots(bench, load, { tenants: 0, botsPerTenant: 0 });
  const groups = Object.fromEntries(measured.map((name) => [name, installation.pids[name]!]));
  let answers = 0;
  let repeated = 0;
  for (let round = 0; round < rounds; round += 1) {
    say(`round ${round + 1}/${rounds}: ${closed}`);
    const chat = await createWebchat(installation);
    const open = new Visitors({ ...chat, port: installation.gatewayPort });
    await bench.cleanup.add(() => open.close());
    series.add(closed, await atRest(groups));
    say(`round ${round + 1}/${rounds}: opening ${count} windows`);
    await open.open(count);
    series.add(resting, await atRest(groups));
    say(`round ${round + 1}/${rounds}: each visitor writes and is answered`);
    const before = cpuSeconds(groups);
    const seconds = await open.sayAll();
    const used = difference(cpuSeconds(groups), before);
    const memory = pssMib(groups);
    series.add(talking, { ...figures(memory, used, seconds), seconds, ...perMessage(used) });
    answers += open.answers;
    repeated += open.repeated;
    open.close();
  }
  return {
    tables: [
      seriesTable(series, [closed, resting, talking], {
        title: `${count} open visitors of one web chat`,
        first: 'what',
        columns: [
          ...measured.map((name) => [`${name} PSS MiB`, `pss:${name}`] as const),
          ...measured.map((name) => [`${name} CPU %`, `percent:${name}`] as const),
          ...measured.map((name) => [`${name} CPU ms a message`, `perMessage:${name}`] as const),
          ['s', 'seconds'],
        ],
        notes: [
          'CPU is a share of one core. A message: the visitor writes, and the bot answers at once.',
          'The visitors come from 25 addresses of 127.0.0.0/8, since an address may make 600 requests a minute.',
        ],
      }),
    ],
    checks: [
      check('answers in the windows', 2 * count * rounds, answers),
      check('answers that a window got twice', 0, repeated),
    ],
    rounds: series,
  };
};

async function atRest(groups: Groups): Promise<Record<string, number>> {
  await pause(settleMs);
  const before = cpuSeconds(groups);
  await pause(watchMs);
  return figures(pssMib(groups), difference(cpuSeconds(groups), before), watchMs / 1000);
}

const figures = (memory: ByGroup, used: ByGroup, seconds: number): Record<string, number> =>
  Object.fromEntries(
    measured.flatMap((name) => [
      [`pss:${name}`, memory[name] ?? Number.NaN],
      [`percent:${name}`, ((used[name] ?? Number.NaN) / seconds) * 100],
    ]),
  );

const perMessage = (used: ByGroup): Record<string, number> =>
  Object.fromEntries(
    measured.map((name) => [`perMessage:${name}`, ((used[name] ?? Number.NaN) / count) * 1000]),
  );
