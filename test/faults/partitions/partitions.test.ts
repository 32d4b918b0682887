import { serviceNames } from '@botyard/shared/system/subjects';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { delayNotice } from '../../../services/agents/test/in-english.ts';
import type { DemoTenant } from '../../e2e/demo-tenant.ts';
import { describeUnanswered, onlyMarkedDuplicates, printFigures, recordsOf } from '../rig/history.ts';
import type { LoadGenerator } from '../rig/load-generator.ts';
import { leaveOut } from '../rig/network/leave-out.ts';
import { Network } from '../rig/network/network.ts';
import { OwnPostgres } from '../rig/own-postgres.ts';
import { RedundantSystem } from '../rig/redundant-system.ts';
import { Observer } from './observer.ts';
import {
  networkFaults,
  type Partition,
  type PartitionFault,
  pauses,
  reportedAsOutage,
  reportedAsWarning,
  reportedByOthers,
} from './plan.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const seconds = Number(process.env.BOTYARD_PARTITION_SECONDS ?? (isFull ? 30 : 10));
const only = process.env.BOTYARD_PARTITION_ONLY ?? (isFull ? '' : 'cut');
const wanted = networkFaults.filter(({ name }) => only === '' || name === only);
const messagesPerSecond = 8;
/** Time limit for showing a stop to an operator (REQ-REL-22), on a machine that runs other tests as well. */
const shownWithinMs = 10_000;
const recoversWithinMs = 120_000;

const both = (service: string) => [`${service}-0`, `${service}-1`];
const nats = ['botyard-0', 'botyard-1', 'botyard-2'];
const partitions: Readonly<Record<string, Partition>> = {
  'N-01: webhooks and NATS': { some: both('webhooks'), others: nats, reportedBy: reportedAsOutage },
  'N-02: webhooks and Postgres': {
    some: both('webhooks'),
    others: ['postgres'],
    isSmall: true,
    reportedBy: reportedAsOutage,
  },
  'N-03: agents and NATS': { some: both('agents'), others: nats, reportedBy: reportedAsOutage },
  'N-04: agents and Postgres': { some: both('agents'), others: ['postgres'], reportedBy: reportedAsOutage },
  'N-05: agents and a model': { some: both('agents'), others: ['model'], reportedBy: () => [] },
  'N-06: webhooks and a platform': {
    some: both('webhooks'),
    others: ['messenger'],
    isSmall: true,
    reportedBy: reportedAsWarning,
  },
  'N-07: gateway and NATS': { some: both('gateway'), others: nats, reportedBy: reportedAsWarning },
  'N-08: gateway and webhooks': { some: both('gateway'), others: both('webhooks'), reportedBy: () => [] },
  'N-09: tenancy and NATS': { some: both('tenancy'), others: nats, reportedBy: reportedAsOutage },
  'N-10: keys and Postgres': { some: both('keys'), others: ['postgres'], reportedBy: reportedAsOutage },
  'N-11: NATS and NATS': {
    some: nats.slice(0, 1),
    others: nats.slice(1),
    isAroundLeader: true,
    isTolerated: true,
    reportedBy: () => [],
  },
};

const reason = await Network.whyNot();
const slowReason = reason ?? (await Network.whyNotSlow());

const observer = new Observer();
let network: Network;
let postgres: OwnPostgres;
let system: RedundantSystem;
let tenants: DemoTenant[];
let loads = 0;

beforeAll(async () => {
  if (reason) return;
  network = await Network.open();
  postgres = await OwnPostgres.start({ max_connections: '300' }, await network.join('postgres'));
  const env = { DATABASE_ACQUIRE_TIMEOUT_MS: '2000', MODEL_TIMEOUT_MS: '60000' };
  system = await RedundantSystem.open({ postgresUrl: postgres.url, network, onLine: observer.onLine, env });
  observer.system = system;
  tenants = [await system.createTenant(), await system.createTenant()];
}, 240_000);
afterAll(async () => {
  await network?.heal();
  await system?.close();
  await postgres?.stop();
  await network?.close();
}, 120_000);

async function settled(load: LoadGenerator): Promise<void> {
  let open: string[] = [];
  const isSettled = async () => {
    open = load.history.openBut(await recordsOf(system.harness));
    return open.length === 0;
  };
  await eventually('everything is answered', isSettled, { timeoutMs: recoversWithinMs }).catch(
    async (error: Error) => {
      const descriptions = await describeUnanswered(system.harness, open.slice(0, 10));
      throw new Error(`${error.message}; ${open.length} are not:\n${descriptions.join('\n')}`);
    },
  );
}

async function healthy(names: readonly string[]): Promise<void> {
  const isWell = async () => {
    const ready = await Promise.all(names.map((name) => system.pairs.isReady(name)));
    return ready.every(Boolean) && (await observer.isHealthy());
  };
  await eventually('everything is ready', isWell, { timeoutMs: recoversWithinMs });
}

/** Resolves when everything is ready and answers although the fault lasts. */
async function staysUsable(load: LoadGenerator): Promise<void> {
  await healthy(system.pairs.names);
  await load.untilAnswered(messagesPerSecond);
}

/** Number of chats that were notified of a delay. */
const countNotices = () => system.messenger.sent.filter(({ entry }) => entry.text === delayNotice).length;

async function sidesOf(partition: Partition): Promise<Partition> {
  if (!partition.isAroundLeader) return partition;
  const leader = await system.cluster.leaderOfMost();
  return { ...partition, some: [leader], others: nats.filter((name) => name !== leader) };
}

async function runFault(id: string, planned: Partition, fault: PartitionFault): Promise<void> {
  const partition = await sidesOf(planned);
  const load = system.createLoad(tenants, { chats: 20, firstChat: 1 + 1000 * loads++, messagesPerSecond });
  const before = await recordsOf(system.harness);
  const noticesBefore = countNotices();
  load.start();
  await load.untilAnswered(2 * messagesPerSecond);
  const beganAt = performance.now();
  await fault.begin(network, partition, system.pairs);
  // A nats-server isn't asked.
  const watched = fault.hits(partition).filter((name) => system.pairs.names.includes(name));
  const isOver = () => performance.now() - beganAt > seconds * 1000;
  const shown = await observer.watch(watched, isOver);
  const accepted = load.acceptedCount;
  if (partition.isTolerated) await staysUsable(load);
  await network.heal();
  for (const name of partition.some)
    if (system.pairs.names.includes(name)) system.pairs.signal(name, 'SIGCONT');
  const healedAt = performance.now();
  const since = () => Math.round(performance.now() - healedAt);
  await healthy(system.pairs.names);
  const readyAgainMs = since();
  await load.untilAnswered(1);
  const answersAgainMs = since();
  await load.stopSending();
  await settled(load);
  const settledMs = since();
  const records = await recordsOf(system.harness);
  const own = (texts: readonly string[], known: readonly string[]) =>
    texts.filter((text) => !known.includes(text));
  const ownVerdict = load.history.verdict({
    ...records,
    apologized: own(records.apologized, before.apologized),
    uncertain: own(records.uncertain, before.uncertain),
  });
  const notices = countNotices() - noticesBefore;
  const verdict = { ...ownVerdict, strange: ownVerdict.strange - notices };
  printFigures(`${id}, ${fault.name} for ${seconds} s`, {
    ...verdict,
    'accepted meanwhile': accepted,
    'not accepted at once': load.refusals.length,
    'slowest delivery ms': load.slowestDeliveryMs,
    'longest silence ms': load.longestSilenceMs(beganAt, healedAt),
    apologized: records.apologized.length - before.apologized.length,
    'told of a delay': notices,
    'not ready after ms': shown.readiness,
    'health after ms': shown.health,
    'warned after ms': shown.warning,
    ...(partition.isTolerated ? { 'health again in spite of it after ms': shown.healthUntil } : {}),
    'ready again after ms': readyAgainMs,
    'answers again after ms': answersAgainMs,
    'all answered after ms': settledMs,
  });
  expect(verdict).toMatchObject(onlyMarkedDuplicates);
  for (const sign of partition.reportedBy(fault))
    expect(shown[sign], `${sign} shows it`).toBeLessThan(shownWithinMs);
}

for (const [name, partition] of Object.entries(partitions)) {
  const [id = ''] = name.split(':');
  if (!isFull && !partition.isSmall) continue;
  test(
    name,
    async () => {
      if (reason) return leaveOut(id, reason);
      for (const fault of wanted) {
        if (fault.name === 'cut of one process' && partition.some.length === 1) continue;
        if (fault.name === 'slow' && slowReason) leaveOut(`${id}, slow`, slowReason);
        else await runFault(id, partition, fault);
      }
    },
    isFull ? 1_800_000 : 240_000,
  );
}

/** The small size tries one service, whose pause outlasts its leases. */
for (const service of isFull ? serviceNames : (['agents'] as const)) {
  test(
    `F-76: the processes of ${service} are paused under load, and resumed: it shows, and nothing is lost or sent twice`,
    async () => {
      if (reason) return leaveOut('F-76', reason);
      for (const fault of isFull ? pauses : pauses.slice(0, 1))
        await runFault(
          `F-76, ${service}`,
          { some: both(service), others: [], reportedBy: reportedByOthers },
          fault,
        );
    },
    isFull ? 1_800_000 : 240_000,
  );
}

test('N-12: a process that dies behind a cut leaves no session in Postgres behind', async () => {
  if (reason) return leaveOut('N-12', reason);
  const { host } = await network.join('webhooks-1');
  const sessions = async () => {
    const rows = await system.harness.asOwner<{ pid: number }>(
      `select pid from pg_stat_activity where client_addr = '${host}'`,
    );
    return rows.map(({ pid }) => pid);
  };
  const left = await eventually('it has sessions', async () => {
    const openSessions = await sessions();
    return openSessions.length > 0 ? openSessions : undefined;
  });
  await network.cut(['webhooks-1'], ['postgres']);
  system.pairs.signal('webhooks-1', 'SIGKILL');
  const killedAt = performance.now();
  const areGone = async () => (await sessions()).every((pid) => !left.includes(pid));
  await eventually('they are gone', areGone, { timeoutMs: recoversWithinMs });
  const goneMs = Math.round(performance.now() - killedAt);
  await network.heal();
  await healthy(system.pairs.names);
  printFigures('N-12', { sessions: left.length, 'gone after ms': goneMs });
}, 300_000);
