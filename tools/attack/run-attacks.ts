import { type Cleanup, runTool } from '../rig/cleanup.ts';
import { printTable } from '../rig/table.ts';
import { type Check, equals, isAtMost } from './attack.ts';
import { cases } from './cases.ts';
import {
  createHundredOrigins,
  type Installation,
  type Origins,
  oneOrigin,
  startInstallation,
} from './installation.ts';
import type { CaseName, Options } from './options.ts';
import { type Experience, experience, type Uses } from './victim.ts';

const restSeconds = 5;
/** The aim for answers in chats: this, or this multiple of the longest wait while the same load is spread. */
const aim = { answerMs: 2000, timesOfSpread: 3 };

/** Runs each attack on an installation of its own, and prints what another tenant notices, at rest and under attack. */
export async function runAttacks(options: Options): Promise<void> {
  await runTool('attack', async (cleanup) => {
    let areRight = true;
    for (const name of options.cases) areRight = (await run(name, options, cleanup)) && areRight;
    return areRight;
  });
}

/** Resolves to false if a count is wrong. */
async function run(name: CaseName, { seconds }: Options, cleanup: Cleanup): Promise<boolean> {
  const { about, canSpread, maxMib = {}, habit: habitOf, begin } = cases[name];
  const installation = await startInstallation(cleanup);
  const habit = await habitOf?.(installation);
  const attackFrom = async (origins: Origins) => {
    const attack = await begin(installation, origins);
    const experienced = await experience(installation, seconds, habit);
    await attack.stop();
    return { experienced, checks: attack.checks() };
  };
  const atRest = await experience(installation, restSeconds, habit);
  const { experienced: attacked, checks } = await attackFrom(oneOrigin(installation));
  const spread = canSpread ? await spreadAttack(installation, attackFrom) : undefined;
  await cleanup.run();
  console.log(`\n${name}: ${about}`);
  const phases = {
    'at rest': atRest,
    'one attacker': attacked,
    ...(spread && { 'a hundred, together': spread }),
  };
  console.log(tableOf(phases, habit?.name));
  const all = [...checks, ...checksOf(attacked, habit?.name), ...memoryChecks(attacked, maxMib)];
  for (const check of all) console.log(lineOf(check));
  for (const [phase, experienced] of Object.entries(phases))
    for (const reason of reasonsOf(experienced)) console.log(`failed (${phase}): ${reason}`);
  console.log(aimLine(attacked, spread));
  return all.every(({ isRight }) => isRight);
}

/** The same load from a hundred tenants or addresses. */
async function spreadAttack(
  installation: Installation,
  attackFrom: (origins: Origins) => Promise<{ experienced: Experience }>,
): Promise<Experience> {
  const origins = await createHundredOrigins(installation);
  return (await attackFrom(origins)).experienced;
}

function checksOf({ requests, chats, further }: Experience, habitName = ''): Check[] {
  const checks = [
    equals('requests of the other tenant refused', 0, requests.failures.length),
    equals('messages of the other tenant without an answer', 0, chats.failures.length),
  ];
  return further
    ? [...checks, equals(`${habitName} of the other tenant that failed`, 0, further.failures.length)]
    : checks;
}

const memoryChecks = ({ memory }: Experience, maxMib: Readonly<Record<string, number>>): Check[] =>
  Object.entries(maxMib).map(([name, max]) => isAtMost(`MiB of ${name}`, max, Math.round(memory[name] ?? 0)));

const reasonsOf = ({ requests, chats, further }: Experience): Set<string> =>
  new Set([...requests.failures, ...chats.failures, ...(further?.failures ?? [])]);

function aimLine({ chats }: Experience, spread: Experience | undefined): string {
  const aimMs = Math.max(aim.answerMs, aim.timesOfSpread * (spread?.chats.longestMs ?? 0));
  const outcome = chats.longestMs <= aimMs ? 'met' : 'missed';
  return `aim: chat answers within ${Math.round(aimMs)} ms: ${outcome} (${Math.round(chats.longestMs)} ms)`;
}

function tableOf(phases: Readonly<Record<string, Experience>>, habitName = ''): string {
  const rows = Object.entries(phases).flatMap(([phase, { requests, chats, further }]) => [
    row(phase, 'requests', requests),
    row('', 'chats', chats),
    ...(further ? [row('', habitName, further)] : []),
  ]);
  const memory = Object.entries(phases).map(
    ([phase, { memory: mib }]) =>
      `${phase}: ${services.map((name) => `${name} ${Math.round(mib[name] ?? 0)}`).join(', ')}`,
  );
  return printTable({
    title: 'what another tenant notices; the most memory in MiB below',
    head: ['', 'uses', 'number', 'refused', 'longest ms'],
    rows,
    notes: memory,
  });
}

const services = ['gateway', 'agents', 'tenancy', 'webhooks'] as const;

const row = (phase: string, uses: string, { count, failures, longestMs }: Uses): string[] => [
  phase,
  uses,
  String(count),
  String(failures.length),
  String(Math.round(longestMs)),
];

const lineOf = ({ what, expected, found, isRight }: Check): string =>
  `${isRight ? 'ok' : 'WRONG'}: ${what}: ${found}${isRight ? '' : ` (expected ${expected})`}`;
