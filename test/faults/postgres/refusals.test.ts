import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Crowd } from '../rig/crowd.ts';
import { faultless, kept, tell } from '../rig/history.ts';
import { OwnPostgres } from '../rig/own-postgres.ts';
import { HealthGateway, type Signs } from '../rig/signs.ts';
import { type Process, Town, type TownBot } from '../rig/town.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const cuts = isFull ? 100 : 10;
const messagesPerSecond = 10;
const timeoutMs = 280_000;

/** A turn that fails for a fault of ours is tried again for longer than processes differ in seeing it. */
const patient = { AGENTS_RETRY_BASE_MS: '1000' };

let postgres: OwnPostgres;
let town: Town;
let webhooks: Process;
let agents: Process;
let health: HealthGateway;
const bots: TownBot[] = [];
let crowds = 0;
let crowd: Crowd;

/** Processes log in as in an installation, so that a test can change the password of their role. */
async function loginOf(service: 'webhooks' | 'agents'): Promise<{ DATABASE_URL: string }> {
  await town.harness.asOwner(`alter role botyard_${service} login password 'first'`);
  const url = new URL(town.harness.databaseUrl(service));
  url.username = `botyard_${service}`;
  url.password = 'first';
  url.searchParams.delete('options');
  return { DATABASE_URL: url.toString() };
}

beforeAll(async () => {
  postgres = await OwnPostgres.start();
  town = await Town.open({ postgresUrl: postgres.url });
  const [ofAgents, ofWebhooks] = [await loginOf('agents'), await loginOf('webhooks')];
  [agents, webhooks] = await Promise.all([
    town.startAgents({ ...ofAgents, ...patient }),
    town.startWebhooks(ofWebhooks),
  ]);
  health = await HealthGateway.start({ webhooks, agents });
  for (let count = 0; count < 3; count++) bots.push(await town.createBot(agents));
}, 240_000);
afterEach(() => crowd.fallsSilent(), timeoutMs);
afterAll(async () => {
  await health?.stop();
  await town?.close();
  await postgres?.stop();
}, 60_000);

function startCrowd(): void {
  crowd = town.crowd(bots, () => webhooks, { chats: 20, firstChat: 1 + 1000 * crowds++, messagesPerSecond });
  crowd.start();
}

async function judge(id: string, figures: object): Promise<void> {
  const verdict = await town.verdict(crowd.history);
  const others = crowd.refusals.filter(({ status }) => status !== 503);
  tell(id, { ...verdict, ...figures, 'answered 503': crowd.refusals.length - others.length });
  expect(others).toEqual([]);
  expect(verdict).toMatchObject(kept);
}

/** Both processes report the database, with these words. */
async function bothShow(words: RegExp): Promise<Signs[]> {
  const signs = await Promise.all([webhooks, agents].map((one) => health.shows(one, 'database')));
  for (const { line } of signs) expect(line).toMatch(words);
  return signs;
}

const cutAll = () =>
  town.harness.asOwner(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name ~ '^botyard-'`,
  );
const reload = async (setting: string) => {
  await town.harness.asOwner(setting);
  await town.harness.asOwner('select pg_reload_conf()');
};

test(
  'F-60: a primary that turns read-only: 503 and nothing false, named within 10 s, and everything recovers when it accepts writes again',
  async () => {
    startCrowd();
    await crowd.hears(messagesPerSecond);
    await reload('alter system set default_transaction_read_only = on');
    const signs = await bothShow(/read-only/);
    expect(crowd.refusals.length).toBeGreaterThan(0);
    await reload('alter system reset default_transaction_read_only');
    const wellMs = await health.isOver(webhooks);
    await crowd.hears(messagesPerSecond);
    await crowd.stop();
    await judge('F-60', {
      'shown after ms': Math.max(...signs.map(({ shownMs }) => shownMs)),
      'well again after ms': wellMs,
    });
  },
  timeoutMs,
);

test(
  "F-61: the password of a service's role is changed: named within 10 s of the first connection that fails, and everything recovers with the old one",
  async () => {
    startCrowd();
    await crowd.hears(messagesPerSecond);
    for (const role of ['botyard_webhooks', 'botyard_agents'])
      await town.harness.asOwner(`alter role ${role} password 'second'`);
    await cutAll();
    const signs = await bothShow(/password authentication failed.*DATABASE_URL/);
    expect(crowd.refusals.length).toBeGreaterThan(0);
    for (const role of ['botyard_webhooks', 'botyard_agents'])
      await town.harness.asOwner(`alter role ${role} password 'first'`);
    const wellMs = await health.isOver(webhooks);
    await crowd.hears(messagesPerSecond);
    await crowd.stop();
    await judge('F-61', {
      'shown after ms': Math.max(...signs.map(({ shownMs }) => shownMs)),
      'well again after ms': wellMs,
    });
  },
  timeoutMs,
);

test(
  `F-62: every connection of every service is cut ${cuts} times simultaneously under load: nothing is lost or sent twice`,
  async () => {
    startCrowd();
    for (let cut = 0; cut < cuts; cut += 1) {
      await crowd.hears(3);
      await cutAll();
    }
    await crowd.hears(messagesPerSecond);
    await crowd.stop();
    await judge('F-62', { cuts, 'slowest answer ms': Math.round(crowd.slowestAnswerMs) });
    const { duplicated } = await town.verdict(crowd.history);
    expect(duplicated).toBe(faultless.duplicated);
    await eventually('it is well', () => health.isWell());
  },
  timeoutMs,
);
