import { ownNames } from '@botyard/testing/own-names';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HealthGateway } from '../rig/health-gateway.ts';
import { faultless, printFigures } from '../rig/history.ts';
import { OwnNats } from '../rig/own-nats.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

const messagesPerSecond = process.env.BOTYARD_FAULTS === 'full' ? 10 : 5;
const timeoutMs = 280_000;
const host = 'servers.test';

let nats: OwnNats;
let system: TestSystem;
let webhooks: Process;
let agents: Process;
let health: HealthGateway;
let bot: ConnectedBot;
let loads = 0;

const byName = (address: string): string => {
  const url = new URL(address);
  url.hostname = host;
  return url.href;
};

beforeAll(async () => {
  nats = await OwnNats.start();
  system = await TestSystem.open({ natsUrl: nats.url });
  [agents, webhooks] = await Promise.all([
    system.startAgents({
      NATS_URL: byName(nats.url),
      DATABASE_URL: byName(system.harness.databaseUrl('agents')),
      ...ownNames(host),
    }),
    system.startWebhooks(),
  ]);
  health = await HealthGateway.start({ webhooks, agents });
  bot = await system.createBot(agents);
}, 240_000);
afterAll(async () => {
  await health?.stop();
  await system?.close();
  await nats?.stop();
}, 60_000);

const changeName = () => agents.signal('SIGUSR2');

async function restartNats(): Promise<void> {
  await nats.kill();
  await nats.startAgain();
}

async function cutSessions(): Promise<void> {
  await system.harness.asOwner(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'botyard-agents'`,
  );
}

test.each([
  { name: 'NATS', part: 'bus', cut: restartNats },
  { name: 'Postgres', part: 'database', cut: cutSessions },
])(
  'F-78: the name of $name is not known while connections to it are lost: named within 10 s, every delivery is 200, and all continues once it is known',
  async ({ name, part, cut }) => {
    const profile = { chats: 20, firstChat: 1 + 1000 * loads++, messagesPerSecond };
    const load = system.createLoad([bot], () => webhooks, profile);
    load.start();
    await load.untilAnswered(messagesPerSecond);
    changeName();
    // Connections that stand need no name.
    await load.untilAnswered(messagesPerSecond);
    await cut();
    const { shownMs, line } = await health.untilStallShown(agents, part);
    expect(line).toContain(`EAI_AGAIN ${host}`);
    changeName();
    const wellMs = await health.untilRecovered(agents);
    await load.untilAnswered(messagesPerSecond);
    await load.stop();
    const verdict = await system.verdict(load.history);
    printFigures('F-78', {
      ...verdict,
      name,
      'shown after ms': shownMs,
      'well again after ms': wellMs,
      'slowest answer ms': Math.round(load.slowestAnswerMs),
    });
    expect(verdict).toMatchObject(faultless);
    expect(load.refusals).toEqual([]);
  },
  timeoutMs,
);
