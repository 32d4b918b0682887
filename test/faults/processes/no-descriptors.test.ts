import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HealthGateway } from '../rig/health-gateway.ts';
import { faultless, printFigures } from '../rig/history.ts';
import { leaveOut } from '../rig/network/leave-out.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';
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

let system: TestSystem;
let webhooks: Process;
let agents: Process;
let health: HealthGateway;
let bot: ConnectedBot;
let loads = 0;

beforeAll(async () => {
  if (reason) return;
  system = await TestSystem.open();
  [agents, webhooks] = await Promise.all([system.startAgents(), system.startWebhooks()]);
  health = await HealthGateway.start({ webhooks, agents });
  bot = await system.createBot(agents);
}, 240_000);
afterAll(async () => {
  await health?.stop();
  await system?.close();
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
  system.harness.asOwner(
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
    const load = system.createLoad([bot], () => webhooks, {
      chats: 20,
      firstChat: 1 + 1000 * loads++,
      messagesPerSecond,
    });
    load.start();
    await load.untilAnswered(messagesPerSecond);
    await health.untilRecovered(process());
    // Calls take so long that they need more connections than there are.
    system.model.hang();
    system.messenger.delay('sendMessage', 3000);
    await takeAll(process());
    const shown = health.untilStallShown(process(), 'file descriptors');
    await load.untilAccepted(messagesPerSecond, load.acceptedCount);
    if (isCut) await cutSessions(name);
    const { shownMs, line } = await shown;
    system.model.release();
    await passed(lackingMs);
    await giveBack(process());
    system.messenger.clearFaults();
    const wellMs = await health.untilRecovered(process());
    await load.untilAnswered(messagesPerSecond);
    await load.stop();
    const verdict = await system.verdict(load.history);
    printFigures('F-74', {
      ...verdict,
      name,
      'sessions cut': isCut,
      'shown after ms': shownMs,
      'well again after ms': wellMs,
      'not accepted at once': load.refusals.length,
      'slowest answer ms': Math.round(load.slowestAnswerMs),
    });
    expect(line).toContain('limit of open files');
    expect(verdict).toMatchObject(faultless);
  },
  timeoutMs,
);
