import { setTimeout as pause } from 'node:timers/promises';
import { answerChecks, startMessagingInstallation } from '../installation/messaging.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { ConversationResult } from '../load/messages.ts';
import { pssMib, sumOf } from '../measure/processes.ts';
import type { Part } from '../part.ts';
import { figure, type Table } from '../report/table.ts';

const tenants = 4;
const botsPerTenant = 12;
const chatsPerBot = 100;
const inFlight = 32;
const ofMost = 0.6;
const samples = 120;

interface Sample {
  minute: number;
  pss: Readonly<Record<string, number>>;
}

/** Measures the memory of every process for `--minutes` at 60 % of the machine's maximum load. */
export const endurance: Part = async (bench) => {
  const { cleanup, minutes, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const { installation, targets } = await startMessagingInstallation(bench, load, { tenants, botsPerTenant });
  const plan = { port: installation.gatewayPort, targets, chatsPerTarget: chatsPerBot, inFlight };
  say('warming up');
  await load.converse({ ...plan, messages: 1000 });
  const most = await load.converse({ ...plan, messages: Math.round(300 * seconds) });
  const perSecond = (most.answered / most.seconds) * ofMost;
  say(`at most ${figure(most.answered / most.seconds)}/s: writing at ${figure(perSecond)}/s`);

  const found: Sample[] = [];
  const seen: ConversationResult[] = [most];
  const beganAt = performance.now();
  const minute = () => (performance.now() - beganAt) / 60_000;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      found.push({ minute: minute(), pss: pssMib(installation.pids) });
      await pause((minutes * 60_000) / samples);
    }
  })();
  while (minute() < minutes) {
    const messages = Math.ceil(perSecond * 60 * Math.min(1, minutes - minute()));
    seen.push(await load.converse({ ...plan, messages, perSecond }));
    const mib = sumOf(pssMib(installation.pids));
    say(`minute ${figure(minute())} of ${minutes}: ${figure(mib)} MiB in all`);
  }
  isOver = true;
  await watching;
  const written = seen.slice(1).reduce((sum, { answered }) => sum + answered, 0);
  return {
    tables: [table(found, Object.keys(installation.pids), { perSecond, written, minutes })],
    checks: answerChecks('endurance', seen),
    charts: [
      {
        file: 'endurance-memory',
        title: `Memory at 60 % load, ${minutes} minutes`,
        x: { label: 'minutes', values: found.map((sample) => sample.minute) },
        yLabel: 'PSS in MiB',
        lines: Object.keys(installation.pids).map((name) => ({
          name,
          values: found.map(({ pss }) => pss[name] ?? Number.NaN),
        })),
      },
    ],
    rounds: found,
  };
};

function table(
  found: readonly Sample[],
  names: readonly string[],
  { perSecond, written, minutes }: { perSecond: number; written: number; minutes: number },
): Table {
  const at = (part: number, read: (sample: Sample) => number) => {
    const sample = found[Math.round(part * (found.length - 1))];
    return figure(sample && read(sample));
  };
  const row = (name: string, read: (sample: Sample) => number) => [
    name,
    ...[0, 0.25, 0.5, 0.75, 1].map((part) => at(part, read)),
  ];
  return {
    title: `Endurance: PSS in MiB over ${minutes} minutes at ${figure(perSecond)} messages/s (60 % of the most)`,
    head: ['process', 'at the beginning', 'at a quarter', 'at half', 'at three quarters', 'at the end'],
    rows: [
      ...names.map((name) => row(name, ({ pss }) => pss[name] ?? Number.NaN)),
      row('all', ({ pss }) => sumOf(pss)),
    ],
    notes: [`${written} messages written and answered.`],
  };
}
