import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { HealthGateway, type StallReport } from '../rig/health-gateway.ts';
import { faultless, onlyMarkedDuplicates, printFigures } from '../rig/history.ts';
import type { LoadGenerator } from '../rig/load-generator.ts';
import { OwnPostgres } from '../rig/own-postgres.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const cuts = isFull ? 100 : 10;
const messagesPerSecond = 10;
const timeoutMs = 280_000;

/** A turn that fails for a fault of ours is tried again for longer than processes differ in seeing it. */
const patient = { AGENTS_RETRY_BASE_MS: '1000' };

let postgres: OwnPostgres;
let system: TestSystem;
let webhooks: Process;
let agents: Process;
let health: HealthGateway;
const bots: ConnectedBot[] = [];
let loads = 0;
let load: LoadGenerator;

/** Processes log in as in an installation, so that a test can change the password of their role. */
async function loginOf(service: 'webhooks' | 'agents'): Promise<{ DATABASE_URL: string }> {
  await system.harness.asOwner(`alter role botyard_${service} login password 'first'`);
  const url = new URL(system.harness.databaseUrl(service));
  url.username = `botyard_${service}`;
  url.password = 'first';
  url.searchParams.delete('options');
  return { DATABASE_URL: url.toString() };
}

beforeAll(async () => {
  postgres = await OwnPostgres.start();
  system = await TestSystem.open({ postgresUrl: postgres.url });
  const [ofAgents, ofWebhooks] = [await loginOf('agents'), await loginOf('webhooks')];
  [agents, webhooks] = await Promise.all([
    system.startAgents({ ...ofAgents, ...patient }),
    system.startWebhooks(ofWebhooks),
  ]);
  health = await HealthGateway.start({ webhooks, agents });
  for (let count = 0; count < 3; count++) bots.push(await system.createBot(agents));
}, 240_000);
afterEach(() => load.stopSending(), timeoutMs);
afterAll(async () => {
  await health?.stop();
  await system?.close();
  await postgres?.stop();
}, 60_000);

function startCrowd(): void {
  load = system.createLoad(bots, () => webhooks, {
    chats: 20,
    firstChat: 1 + 1000 * loads++,
    messagesPerSecond,
  });
  load.start();
}

async function judge(id: string, figures: object): Promise<void> {
  const verdict = await system.verdict(load.history);
  const others = load.refusals.filter(({ status }) => status !== 503);
  printFigures(id, { ...verdict, ...figures, 'answered 503': load.refusals.length - others.length });
  expect(others).toEqual([]);
  expect(verdict).toMatchObject(onlyMarkedDuplicates);
}

/** Both processes report the database, with these words. */
async function bothReport(words: RegExp): Promise<StallReport[]> {
  const reports = await Promise.all([webhooks, agents].map((one) => health.untilStallShown(one, 'database')));
  for (const { line } of reports) expect(line).toMatch(words);
  return reports;
}

const cutAll = () =>
  system.harness.asOwner(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name ~ '^botyard-'`,
  );
const reload = async (setting: string) => {
  await system.harness.asOwner(setting);
  await system.harness.asOwner('select pg_reload_conf()');
};

test(
  'F-60: a primary that turns read-only: 503 and nothing false, named within 10 s, and everything recovers when it accepts writes again',
  async () => {
    startCrowd();
    await load.untilAnswered(messagesPerSecond);
    await reload('alter system set default_transaction_read_only = on');
    const reports = await bothReport(/read-only/);
    expect(load.refusals.length).toBeGreaterThan(0);
    await reload('alter system reset default_transaction_read_only');
    const wellMs = await health.untilRecovered(webhooks);
    await load.untilAnswered(messagesPerSecond);
    await load.stop();
    await judge('F-60', {
      'shown after ms': Math.max(...reports.map(({ shownMs }) => shownMs)),
      'well again after ms': wellMs,
    });
  },
  timeoutMs,
);

test(
  "F-61: the password of a service's role is changed: named within 10 s of the first connection that fails, and everything recovers with the old one",
  async () => {
    startCrowd();
    await load.untilAnswered(messagesPerSecond);
    for (const role of ['botyard_webhooks', 'botyard_agents'])
      await system.harness.asOwner(`alter role ${role} password 'second'`);
    await cutAll();
    const reports = await bothReport(/password authentication failed.*DATABASE_URL/);
    expect(load.refusals.length).toBeGreaterThan(0);
    for (const role of ['botyard_webhooks', 'botyard_agents'])
      await system.harness.asOwner(`alter role ${role} password 'first'`);
    const wellMs = await health.untilRecovered(webhooks);
    await load.untilAnswered(messagesPerSecond);
    await load.stop();
    await judge('F-61', {
      'shown after ms': Math.max(...reports.map(({ shownMs }) => shownMs)),
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
      await load.untilAnswered(3);
      await cutAll();
    }
    await load.untilAnswered(messagesPerSecond);
    await load.stop();
    await judge('F-62', { cuts, 'slowest answer ms': Math.round(load.slowestAnswerMs) });
    const { duplicated } = await system.verdict(load.history);
    expect(duplicated).toBe(faultless.duplicated);
    await eventually('it is well', () => health.isHealthy());
  },
  timeoutMs,
);
