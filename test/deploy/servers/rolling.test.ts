import { setInterval as every } from 'node:timers/promises';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serviceNames } from '../../../tools/launcher/settings/services.ts';
import { onlyMarkedDuplicates, printFigures, recordsOf } from '../../faults/rig/history.ts';
import { RedundantSystem } from '../../faults/rig/redundant-system.ts';
import { startHaproxy } from '../support/haproxy.ts';

const requestsPerSecond = 20;
const deliveriesPerSecond = 10;
/** Longer than HAProxy takes to notice: two checks, a second apart. */
const shutdownDelaySeconds = 4;

let system: RedundantSystem;
let balancer: Awaited<ReturnType<typeof startHaproxy>>;
beforeAll(async () => {
  system = await RedundantSystem.open({ env: { SHUTDOWN_DELAY_SECONDS: String(shutdownDelaySeconds) } });
  balancer = await startHaproxy(system.pairs.gatewayPorts);
  system.deliverBy(balancer.url);
}, 240_000);
afterAll(async () => {
  await balancer?.stop();
  await system?.close();
}, 120_000);

/** Sends requests to every service at a steady pace, and records failures. */
function keepAsking(paths: readonly string[]) {
  const ending = new AbortController();
  const failures: string[] = [];
  const running = new Set<Promise<void>>();
  let sent = 0;
  const ask = async (path: string) => {
    const answer = await fetch(`${balancer.url}${path}`).catch((error: Error) => error);
    if (answer instanceof Error) {
      failures.push(`${path}: ${answer.cause ?? answer}`);
      return;
    }
    const text = await answer.text();
    if (!answer.ok) failures.push(`${path}: ${answer.status} ${text.slice(0, 200)}`);
  };
  const asking = (async () => {
    try {
      for await (const _ of every(1000 / requestsPerSecond, null, { signal: ending.signal })) {
        const request = ask(paths[sent % paths.length]!).finally(() => running.delete(request));
        running.add(request);
        sent += 1;
      }
    } catch (error) {
      if (!ending.signal.aborted) throw error;
    }
  })();
  return {
    stop: async () => {
      ending.abort();
      await asking;
      await Promise.all(running);
      return { sent, failures };
    },
  };
}

test('F-45: behind HAProxy each instance is replaced and each nats-server killed in turn: 0 failed requests, 0 lost, 0 twice', async () => {
  const tenants = [await system.createTenant(), await system.createTenant()];
  const { tenantId, botId } = tenants[0]!;
  const load = system.createLoad(tenants, { chats: 30, messagesPerSecond: deliveriesPerSecond });
  const poller = keepAsking([
    '/api/current-user',
    `/api/usage/${tenantId}`,
    `/api/keys/${tenantId}`,
    `/api/bots/${tenantId}/${botId}`,
    '/api/definitions/agents',
  ]);
  load.start();
  await load.untilAnswered(deliveriesPerSecond);
  for (const service of serviceNames) {
    for (const name of system.pairs.names.filter((one) => one.startsWith(`${service}-`))) {
      const before = system.pairs.starts.get(name)!;
      system.pairs.signal(name, 'SIGTERM');
      await eventually(`${name} is started again`, () => system.pairs.starts.get(name)! > before, {
        timeoutMs: 60_000,
      });
      await eventually(`${name} is ready`, () => system.pairs.isReady(name), { timeoutMs: 60_000 });
    }
  }
  const replaced = { requests: await poller.stop(), refusals: load.refusals.length };
  for (const server of system.cluster.names) {
    system.cluster.kill(server);
    await load.untilAnswered(deliveriesPerSecond);
    await system.cluster.startAgain(server);
    await system.cluster.untilHealthy();
  }
  await load.stop();
  const verdict = load.history.verdict({ uncertain: (await recordsOf(system.harness)).uncertain });
  printFigures('F-45', {
    ...verdict,
    requests: replaced.requests.sent,
    failed: replaced.requests.failures.length,
    refused: replaced.refusals,
  });
  expect(replaced.requests.failures).toEqual([]);
  expect(replaced.refusals).toBe(0);
  expect(verdict).toMatchObject(onlyMarkedDuplicates);
});
