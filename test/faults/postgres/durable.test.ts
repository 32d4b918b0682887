import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printFigures } from '../rig/history.ts';
import { updateOf } from '../rig/load-generator.ts';
import { OwnPostgres } from '../rig/own-postgres.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';
import { type Syscall, SyscallWatch } from './syscall-watch.ts';

const deliveries = process.env.BOTYARD_FAULTS === 'full' ? 1000 : 40;
/** A session reports its statistics once a second. */
const statisticsMs = 1100;

let postgres: OwnPostgres;
let system: TestSystem;
let bot: ConnectedBot;
let chats = 0;

beforeAll(async () => {
  postgres = await OwnPostgres.start();
  system = await TestSystem.open({ postgresUrl: postgres.url });
  const [agents, webhooks] = await Promise.all([system.startAgents(), system.startWebhooks()]);
  bot = await system.createBot(agents);
  // Only admission writes anything, as far as possible.
  await Promise.all([agents.stop(), webhooks.stop()]);
});
afterAll(async () => {
  await system?.close();
  await postgres?.stop();
});

/** One session for all deliveries, so that it can be watched. */
function startWebhooks(synchronousCommit: 'on' | 'off'): Promise<Process> {
  const url = new URL(system.harness.databaseUrl('webhooks'));
  const options = `${url.searchParams.get('options')} -c synchronous_commit=${synchronousCommit}`;
  url.searchParams.set('options', options);
  return system.startWebhooks({ DATABASE_URL: url.toString(), ADMISSION_MAX_CONNECTIONS: '1' });
}

interface Window {
  fromMs: number;
  toMs: number;
}

async function deliver(webhooks: Process, count: number): Promise<Window[]> {
  chats += 1;
  const windows: Window[] = [];
  for (let number = 1; number <= count; number++) {
    const fromMs = Date.now();
    const status = await system.post(webhooks, bot, updateOf(chats, chats * 100_000 + number, `${number}`));
    windows.push({ fromMs, toMs: Date.now() + 1 });
    expect(status).toBe(200);
  }
  return windows;
}

interface Syncs {
  /** By the session that admits. */
  own: number;
  /** By everybody. */
  all: number;
}

async function sessionOfAdmission(): Promise<number> {
  const [session, ...others] = await system.harness.asOwner<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'botyard-webhooks-admission'`,
  );
  if (!session || others.length > 0) throw new Error('admission should have one session');
  return session.pid;
}

async function syncs(pid: number): Promise<Syncs> {
  const [counted] = await system.harness.asOwner<Syncs>(
    `select (select coalesce(sum(fsyncs), 0)::int from pg_stat_get_backend_io($1) where object = 'wal') as own,
            (select coalesce(sum(fsyncs), 0)::int from pg_stat_io where object = 'wal') as all`,
    [pid],
  );
  return counted!;
}

/** The session's counters are read when it works again after a second. */
async function reportedSyncs(webhooks: Process, pid: number): Promise<Syncs> {
  const sinceMs = performance.now();
  await eventually('a second has passed', () => performance.now() - sinceMs > statisticsMs);
  await deliver(webhooks, 1);
  const sinceDelivery = performance.now();
  await eventually('it is reported', () => performance.now() - sinceDelivery > 200);
  return await syncs(pid);
}

async function measure(webhooks: Process): Promise<Syncs & { windows: Window[] }> {
  await deliver(webhooks, 1);
  const pid = await sessionOfAdmission();
  const before = await reportedSyncs(webhooks, pid);
  const windows = await deliver(webhooks, deliveries);
  const after = await reportedSyncs(webhooks, pid);
  expect(await sessionOfAdmission()).toBe(pid);
  // One more is counted: the delivery that caused the report.
  return { own: after.own - before.own, all: after.all - before.all, windows };
}

test(`F-10: of ${deliveries} deliveries, one after the other, each is on the disk before its 200: by the fsyncs of the database`, async () => {
  const durable = await startWebhooks('on');
  const { own, all } = await measure(durable);
  await durable.stop();
  // Proves that the measure works: the same without waiting for the disk.
  const careless = await startWebhooks('off');
  const unsafe = await measure(careless);
  await careless.stop();
  printFigures('F-10, counted', {
    deliveries: deliveries + 1,
    'own fsyncs': own,
    "others' fsyncs": all - own,
    'own fsyncs if commits did not wait': unsafe.own,
  });
  // A commit that another session has just flushed to disk needs no fsync of its own.
  expect(own + (all - own)).toBeGreaterThanOrEqual(deliveries + 1);
  expect(own).toBeGreaterThan(deliveries * 0.8);
  expect(unsafe.own).toBeLessThan(deliveries * 0.1);
});

/** `ReadyForQuery` outside a transaction: everything that the session was sent is committed. */
const toldCommitted = /^sendto\(.*Z\\0\\0\\0\\5I/;

/** Whether a sync ended within the window, and the commit was confirmed after it. */
function isInOrder(calls: readonly Syscall[], { fromMs, toMs }: Window): boolean {
  const within = calls.filter(({ atMs }) => atMs >= fromMs - 1 && atMs <= toMs);
  const synced = within.findIndex(({ text }) =>
    /^(?:f(?:data)?sync\(\d+\)|<\.\.\. f(?:data)?sync resumed>\))\s+= 0/.test(text),
  );
  return synced >= 0 && within.slice(synced).some(({ text }) => toldCommitted.test(text));
}

test('F-10: the fsync of each delivery ends before its commit is confirmed, and that before its 200: by strace, where available', async () => {
  const webhooks = await startWebhooks('on');
  await deliver(webhooks, 1);
  const pid = await sessionOfAdmission();
  const walWriter = await system.harness.asOwner<{ pid: number }>(
    `select pid from pg_stat_activity where backend_type = 'walwriter'`,
  );
  const pids = [pid, ...walWriter.map((one) => one.pid)];
  const watch = await SyscallWatch.of(pids, ['fsync', 'fdatasync', 'sendto']);
  const windows = await deliver(webhooks, deliveries);
  await watch?.stop();
  await webhooks.stop();
  const inOrder = watch && windows.filter((window) => isInOrder(watch.calls, window)).length;
  printFigures('F-10, traced', {
    deliveries,
    'in order': inOrder ?? 'not seen: no strace here, the count above stands',
  });
  if (watch) expect(inOrder).toBe(deliveries);
  expect(windows).toHaveLength(deliveries);
});
