import { Cleanup } from '../bench/cleanup.ts';
import { figure, printTable } from '../bench/report/table.ts';
import { type Check, equals } from './attack.ts';
import { cases } from './cases.ts';
import { startInstallation } from './installation.ts';
import type { CaseName, Options } from './options.ts';
import { type Experience, experience } from './victim.ts';

const restSeconds = 5;
/** The longest wait for an answer in a chat under attack. */
const maxAnswerMs = 2000;
const cleanup = new Cleanup();

/** Runs each attack on an installation of its own, and prints what another tenant notices, at rest and under attack. */
export async function runAttacks(options: Options): Promise<void> {
  stopOnSignals();
  try {
    for (const name of options.cases) await run(name, options);
  } catch (error) {
    if (!cleanup.isEnding) console.error(`attack: ${(error as Error).stack ?? String(error)}`);
    process.exitCode = 1;
  } finally {
    await cleanup.run();
  }
}

async function run(name: CaseName, { seconds }: Options): Promise<void> {
  const installation = await startInstallation(cleanup);
  const atRest = await experience(installation, restSeconds);
  const attack = await cases[name].begin(installation);
  const attacked = await experience(installation, seconds);
  await attack.stop();
  const checks = [
    ...attack.checks(),
    equals('requests of the other tenant refused', 0, attacked.refused),
    equals('messages of the other tenant without an answer', 0, attacked.unanswered),
  ];
  await cleanup.run();
  console.log(`\n${printTable(tableOf(name, { 'at rest': atRest, 'under attack': attacked }))}`);
  for (const check of checks) console.log(lineOf(check));
  console.log(
    `aim: chat answers within ${maxAnswerMs} ms: ${attacked.longestAnswerMs <= maxAnswerMs ? 'met' : 'missed'}`,
  );
  if (checks.some(({ isRight }) => !isRight)) process.exitCode = 1;
}

const tableOf = (name: CaseName, experiences: Readonly<Record<string, Experience>>) => ({
  title: `${name}: ${cases[name].about}`,
  head: ['other tenant', 'requests', 'refused', 'longest ms', 'chats', 'longest answer ms', 'memory MiB'],
  rows: Object.entries(experiences).map(([when, one]) => [
    when,
    String(one.requests),
    String(one.refused),
    figure(one.longestMs),
    String(one.chats),
    figure(one.longestAnswerMs),
    ['gateway', 'agents', 'tenancy', 'webhooks']
      .map((service) => `${service} ${one.memory[service] ?? 0}`)
      .join(', '),
  ]),
  notes: [],
});

const lineOf = ({ what, expected, found, isRight }: Check): string =>
  `${isRight ? 'ok' : 'WRONG'}: ${what}: ${found}${isRight ? '' : ` (expected ${expected})`}`;

function stopOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (cleanup.isEnding) process.exit(1);
      console.error(`${signal}: stopping all processes; press Ctrl-C again to exit immediately`);
      void cleanup.end().finally(() => process.exit(130));
    });
  }
}
