import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultless, tell } from '../rig/history.ts';
import { leaveOut } from '../rig/network/leave-out.ts';
import { HealthGateway } from '../rig/signs.ts';
import { type Process, Town, type TownBot } from '../rig/town.ts';
import { passed } from '../sending/sends.ts';

const run = promisify(execFile);
const isFull = process.env.BOTYARD_FAULTS === 'full';
const messagesPerSecond = isFull ? 10 : 5;
/** After it was shown. */
const lackingMs = isFull ? 20_000 : 3000;
const timeoutMs = 600_000;
const reason = await run('prlimit', ['--version']).then(
  () => undefined,
  () => 'prlimit is not there',
);

let town: Town;
let webhooks: Process;
let agents: Process;
let health: HealthGateway;
let bot: TownBot;
let crowds = 0;

beforeAll(async () => {
  if (reason) return;
  town = await Town.open();
  [agents, webhooks] = await Promise.all([town.startAgents(), town.startWebhooks()]);
  health = await HealthGateway.start({ webhooks, agents });
  bot = await town.createBot(agents);
}, 240_000);
afterAll(async () => {
  await health?.stop();
  await town?.close();
}, 60_000);

const limit = (of: Process, most: string) => run('prlimit', ['--pid', String(of.pid), `--nofile=${most}`]);
/** The soft limit is changed; back to the hard one, which Node raises it to. */
const takeAll = (of: Process) => limit(of, '3:');
async function giveBack(of: Process): Promise<void> {
  const { stdout } = await run('prlimit', [
    ...['--pid', String(of.pid), '--nofile', '--raw', '--noheadings', '--output', 'HARD'],
  ]);
  await limit(of, `${stdout.trim()}:`);
}
/** Its pool can't replace them. */
const cutSessions = (service: string) =>
  town.harness.asOwner(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'botyard-${service}'`,
  );

const lacks = [
  { name: 'agents', process: () => agents, isCut: false },
  { name: 'agents', process: () => agents, isCut: true },
  { name: 'webhooks', process: () => webhooks, isCut: true },
];

test.each(isFull ? lacks : [lacks[0]!, lacks[2]!])(
  'F-74: $name has no file descriptor left under load (its sessions in Postgres cut: $isCut), and has them again: it shows, and nothing is lost, sent twice or apologized for',
  async ({ name, process, isCut }) => {
    if (reason) return leaveOut('F-74', reason);
    const crowd = town.crowd([bot], () => webhooks, {
      chats: 20,
      firstChat: 1 + 1000 * crowds++,
      messagesPerSecond,
    });
    crowd.start();
    await crowd.hears(messagesPerSecond);
    await health.isOver(process());
    // Calls take so long that they need more connections than there are.
    town.model.hang();
    town.messenger.delay('sendMessage', 3000);
    await takeAll(process());
    const shown = health.shows(process(), 'file descriptors');
    await crowd.accepts(messagesPerSecond, crowd.acceptedCount);
    if (isCut) await cutSessions(name);
    const { shownMs, line } = await shown;
    town.model.release();
    await passed(lackingMs);
    await giveBack(process());
    town.messenger.clearFaults();
    const wellMs = await health.isOver(process());
    await crowd.hears(messagesPerSecond);
    await crowd.stop();
    const verdict = await town.verdict(crowd.history);
    tell('F-74', {
      ...verdict,
      name,
      'sessions cut': isCut,
      'shown after ms': shownMs,
      'well again after ms': wellMs,
      'not accepted at once': crowd.refusals.length,
      'slowest answer ms': Math.round(crowd.slowestAnswerMs),
    });
    expect(line).toContain('limit of open files');
    expect(verdict).toMatchObject(faultless);
  },
  timeoutMs,
);
