import { ownNames } from '@botyard/testing/own-names';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultless, tell } from '../rig/history.ts';
import { OwnNats } from '../rig/own-nats.ts';
import { HealthGateway } from '../rig/signs.ts';
import { type Process, Town, type TownBot } from '../rig/town.ts';

const messagesPerSecond = process.env.BOTYARD_FAULTS === 'full' ? 10 : 5;
const timeoutMs = 280_000;
const host = 'servers.test';

let nats: OwnNats;
let town: Town;
let webhooks: Process;
let agents: Process;
let health: HealthGateway;
let bot: TownBot;
let crowds = 0;

const byName = (address: string): string => {
  const url = new URL(address);
  url.hostname = host;
  return url.href;
};

beforeAll(async () => {
  nats = await OwnNats.start();
  town = await Town.open({ natsUrl: nats.url });
  [agents, webhooks] = await Promise.all([
    town.startAgents({
      NATS_URL: byName(nats.url),
      DATABASE_URL: byName(town.harness.databaseUrl('agents')),
      ...ownNames(host),
    }),
    town.startWebhooks(),
  ]);
  health = await HealthGateway.start({ webhooks, agents });
  bot = await town.createBot(agents);
}, 240_000);
afterAll(async () => {
  await health?.stop();
  await town?.close();
  await nats?.stop();
}, 60_000);

const changeName = () => agents.signal('SIGUSR2');

async function restartNats(): Promise<void> {
  await nats.kill();
  await nats.startAgain();
}

async function cutSessions(): Promise<void> {
  await town.harness.asOwner(
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
    const writing = { chats: 20, firstChat: 1 + 1000 * crowds++, messagesPerSecond };
    const crowd = town.crowd([bot], () => webhooks, writing);
    crowd.start();
    await crowd.hears(messagesPerSecond);
    changeName();
    // Connections that stand need no name.
    await crowd.hears(messagesPerSecond);
    await cut();
    const { shownMs, line } = await health.shows(agents, part);
    expect(line).toContain(`EAI_AGAIN ${host}`);
    changeName();
    const wellMs = await health.isOver(agents);
    await crowd.hears(messagesPerSecond);
    await crowd.stop();
    const verdict = await town.verdict(crowd.history);
    tell('F-78', {
      ...verdict,
      name,
      'shown after ms': shownMs,
      'well again after ms': wellMs,
      'slowest answer ms': Math.round(crowd.slowestAnswerMs),
    });
    expect(verdict).toMatchObject(faultless);
    expect(crowd.refusals).toEqual([]);
  },
  timeoutMs,
);
