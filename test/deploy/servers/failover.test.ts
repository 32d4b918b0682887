import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../tools/embedded/free-port.ts';
import { onlyMarkedDuplicates, printFigures, recordsOf } from '../../faults/rig/history.ts';
import { RedundantSystem } from '../../faults/rig/redundant-system.ts';
import { type Haproxy, runHaproxy } from '../support/haproxy.ts';
import { PostgresPair } from '../support/postgres-pair.ts';
import { fencesOf } from '../support/runbook.ts';

const messagesPerSecond = 20;
let folder: string;
let pair: PostgresPair;
let balancer: Haproxy;
let system: RedundantSystem;
/** The runbook's contents: HAProxy's configuration, the promotion, and the commands for HAProxy. */
let promotion: string;
let switching: string;
const adminSocket = () => join(folder, 'admin.sock');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botyard-failover-'));
  pair = await PostgresPair.start();
  const port = await freePort();
  const [config = '', ...steps] = await fencesOf('Failing over Postgres');
  const commands = steps.join('');
  promotion = /-c '(.*)'/.exec(commands)?.[1] ?? '';
  switching = /^echo '(.*)'/m.exec(commands)?.[1] ?? '';
  const own = config
    .replaceAll('/run/haproxy/admin.sock', adminSocket())
    .replace('bind :5432', `bind 127.0.0.1:${port}`)
    .replace('10.0.0.11:5432', `127.0.0.1:${pair.ports.first}`)
    .replace('10.0.0.12:5432', `127.0.0.1:${pair.ports.second}`);
  balancer = await runHaproxy(own, async () => (await tellHaproxy('show info')).includes('Pid:'));
  system = await RedundantSystem.open({ postgresUrl: pair.urlBy(port) });
}, 400_000);
afterAll(async () => {
  await system?.close();
  await balancer?.stop();
  await pair?.stop();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

/** As `socat stdio <socket>` does. Nothing while it isn't there. */
async function tellHaproxy(words: string): Promise<string> {
  const socket = connect(adminSocket());
  socket.end(`${words}\n`);
  return await text(socket).catch(() => '');
}

const rolesAt = async (server: 'first' | 'second') => {
  const rows = await pair.ask<{ role: string }>(
    server,
    `select distinct usename as role from pg_stat_activity where usename like 'botyard\\_%' and pid <> pg_backend_pid()
     and backend_type = 'client backend' and usename <> current_user`,
  );
  return rows.map(({ role }) => role);
};

test('F-46: the primary is lost under load and the replica takes over as the runbook says: nothing acknowledged is lost', async () => {
  const tenants = [await system.createTenant(), await system.createTenant()];
  const load = system.createLoad(tenants, { chats: 40, messagesPerSecond });
  load.start();
  await load.untilAnswered(5 * messagesPerSecond);
  expect(await rolesAt('second')).toEqual([]);
  const lostAt = performance.now();
  const before = load.acceptedCount;
  await pair.killFirst();
  await eventually('deliveries are refused', () => load.refusals.length > 0);
  expect(await pair.ask('second', promotion)).toEqual([{ pg_promote: true }]);
  expect((await tellHaproxy(switching)).trim()).toBe('');
  await load.untilAccepted(1, before);
  await load.untilAnswered(5 * messagesPerSecond);
  const silenceMs = load.longestSilenceMs(lostAt, performance.now());
  // If the old primary is started too early, nobody is routed to it.
  await pair.startFirst();
  await load.untilAnswered(5 * messagesPerSecond);
  expect(await rolesAt('first')).toEqual([]);
  await load.stop();
  const records = await recordsOf(system.harness);
  const verdict = load.history.verdict(records);
  const [stored] = await system.harness.asOwner<{ count: number }>(
    'select count(*)::int as count from webhooks.deliveries',
  );
  printFigures('F-46', {
    ...verdict,
    'false 200': verdict.accepted - (stored?.count ?? 0),
    refused: load.refusals.length,
    'ms without an answer': silenceMs,
  });
  expect(verdict).toMatchObject(onlyMarkedDuplicates);
  expect(stored?.count).toBe(verdict.accepted);
});
