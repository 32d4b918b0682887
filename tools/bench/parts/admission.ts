import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createIdentitySigner, identityHeader } from '@botyard/shared/auth/identity';
import { eventually } from '@botyard/testing/eventually';
import { startNatsServer } from '../../embedded/nats-server.ts';
import type { Groups } from '../../rig/processes.ts';
import { Series } from '../../rig/series.ts';
import { type Check, type Column, check, seriesTable } from '../../rig/table.ts';
import {
  checkRefusal,
  type Installation,
  startWithBots,
  webhookSecret,
} from '../installation/installation.ts';
import { HttpConnection } from '../load/http-connection.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { Loop, Target } from '../load/messages.ts';
import { updateRequest } from '../load/requests.ts';
import { figuresOf, withCpu } from '../measure/loaded.ts';
import { interleave } from '../measure/rounds.ts';
import type { Bench, Part } from '../part.ts';
import { startPeer } from '../peers/peer-process.ts';
import { atMost } from '../report/aims.ts';

const connections = 32;
const perSecond = 500;
const chats = 2000;
const drainWithinMs = 60_000;
const own = 'botyard';
const throughGateway = 'botyard through its gateway';

/** A measured server that accepts updates. */
interface Build {
  name: string;
  port: number;
  pids: Groups;
  targets(): Promise<Target[]>;
  /** Resolves when the work of all responses is finished, including deferred work. */
  settled(): Promise<void>;
  /** Returns the number of stored updates. `undefined` if the server stores none. */
  count?(): Promise<number>;
}

/** Measures `POST /webhooks/messenger/:botId` until the 200. */
export const admission: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const size = { tenants: 4, botsPerTenant: 5 };
  const { installation, targets } = await startWithBots(bench, load, size);
  await pauseAgents(bench, installation);
  const builds = [...(await startPlain(bench)), ...(await ownBuilds(installation, targets))];
  const stores = builds.filter(({ count }) => count);
  const checks: Check[] = [];
  for (const { name, port, targets: targetsOf } of stores)
    checks.push(await checkRefusal(name, port, (await targetsOf())[0]!));
  const countAll = () => Promise.all(stores.map(async ({ name, count }) => [name, await count!()] as const));
  const before = new Map(await countAll());
  const accepted = new Map<string, number>();
  const series = new Series();
  const run = async (build: Build, loop: Loop) => {
    const requests = { kind: 'update' as const, targets: await build.targets(), chats };
    return await withCpu(build.pids, async () => {
      const result = await load.load({ port: build.port, requests, loop });
      await build.settled();
      accepted.set(build.name, (accepted.get(build.name) ?? 0) + result.ok);
      return result;
    });
  };
  const closed = (duration: number): Loop => ({
    kind: 'closed',
    connections,
    seconds: duration,
    most: 100_000,
  });
  for (const build of builds) await run(build, closed(2));
  await interleave(builds, rounds, async (build, round) => {
    say(`round ${round + 1}/${rounds}: ${build.name}, ${connections} connections`);
    series.add(build.name, figuresOf('closed', await run(build, closed(seconds))));
    say(`round ${round + 1}/${rounds}: ${build.name}, ${perSecond}/s`);
    const open: Loop = { kind: 'open', perSecond, seconds, maxConnections: 400 };
    series.add(build.name, figuresOf('open', await run(build, open)));
  });
  for (const [name, count] of await countAll()) {
    // Both of our builds store in the same tables.
    const names = name === 'plain' ? [name] : [own, throughGateway];
    const answers = names.reduce((sum, one) => sum + (accepted.get(one) ?? 0), 0);
    checks.push(check(`${name}: kept for each 200`, answers, count - (before.get(name) ?? 0)));
  }
  checks.push(...(await eventChecks(installation)));
  for (const build of stores)
    checks.push(check(`${build.name}: kept of one that came twice`, 1, await keptOfRepeated(build)));
  const aims = [own, throughGateway].map((name) =>
    atMost(1, {
      id: 'W1',
      what: `admission${name === own ? '' : ' through the gateway'}, CPU of express + JetStream`,
      measured: series.ratio(name, 'plain', 'closedCpu'),
    }),
  );
  return { tables: [table(series, builds), processTable(series)], checks, aims, rounds: series };
};

/** Turns would otherwise count as admission's work. */
async function pauseAgents({ cleanup }: Bench, { pids: { agents = 0 } }: Installation): Promise<void> {
  process.kill(agents, 'SIGSTOP');
  await cleanup.add(() => void process.kill(agents, 'SIGCONT'));
}

async function ownBuilds({ gatewayPort, pids, launcher }: Installation, targets: Target[]): Promise<Build[]> {
  const { webhooks = 0, postgres = 0, nats = 0, gateway = 0 } = pids;
  const { identity } = JSON.parse(readFileSync(join(launcher.dataDir, 'secrets.json'), 'utf8')) as {
    identity: { signingKey: string };
  };
  const sign = await createIdentitySigner(identity.signingKey);
  const port = Number(/SERVICE_PORT=(\d+)/.exec(readFileSync(`/proc/${webhooks}/environ`, 'utf8'))?.[1]);
  const countOf = async (table: string) =>
    (await launcher.asOwner<{ count: number }>(`select count(*)::int as count from webhooks.${table}`))[0]!
      .count;
  const build = {
    settled: async () => {
      const isDrained = async () => (await countOf('outbox where published_at is null')) === 0;
      await eventually('the outbox is empty', isDrained, { timeoutMs: drainWithinMs, everyMs: 100 });
    },
    count: () => countOf('deliveries'),
  };
  return [
    {
      ...build,
      name: own,
      port,
      pids: { webhooks, postgres, nats },
      targets: async () => {
        // Valid for a minute.
        const signed = await sign({ kind: 'anonymous' }, 'webhooks');
        return targets.map(({ path, headers }) => ({
          path,
          headers: { ...headers, [identityHeader]: signed },
        }));
      },
    },
    {
      ...build,
      name: throughGateway,
      port: gatewayPort,
      pids: { gateway, webhooks, postgres, nats },
      targets: async () => targets,
    },
  ];
}

/** Starts the implementations that others would build. */
async function startPlain({ cleanup, dir }: Bench): Promise<Build[]> {
  const bare = await startPeer('bare-server', { cleanup });
  const nats = await startNatsServer({ storeDir: join(dir, 'plain-nats'), users: [], log: () => {} });
  await cleanup.add(() => nats.stop());
  const env = { NATS_URL: nats.url, WEBHOOK_SECRET: webhookSecret };
  const plain = await startPeer('plain-admission', { cleanup, env });
  const build = {
    settled: async () => {},
    targets: async () => [
      { path: '/webhooks/messenger/bench', headers: { 'x-telegram-bot-api-secret-token': webhookSecret } },
    ],
  };
  return [
    { ...build, name: 'bare', port: bare.port, pids: { server: bare.pid } },
    {
      ...build,
      name: 'plain',
      port: plain.port,
      pids: { server: plain.pid, nats: nats.pid },
      count: async () => ((await plain.ask('count')) as { count: number }).count,
    },
  ];
}

/** Returns the number of stored copies of an update that is sent twice. */
async function keptOfRepeated({ port, targets, count }: Build): Promise<number> {
  const [target] = await targets();
  const before = await count!();
  const request = updateRequest(target!, `127.0.0.1:${port}`, { chatId: 5_500_000_001, text: 'again' });
  const connection = new HttpConnection(port);
  for (let times = 0; times < 2; times += 1) await connection.send(request);
  connection.close();
  return (await count!()) - before;
}

async function eventChecks({ launcher }: Installation): Promise<Check[]> {
  const [counts] = await launcher.asOwner<
    Record<'deliveries' | 'numbered' | 'events' | 'unpublished', number>
  >(
    `select (select count(*) from webhooks.deliveries)::int as deliveries,
       (select coalesce(sum(last_seq), 0) from webhooks.conversations)::int as numbered,
       (select count(*) from webhooks.outbox where subject like '%.webhooks.message.received.%')::int as events,
       (select count(*) from webhooks.outbox where published_at is null)::int as unpublished`,
  );
  const { deliveries, numbered, events, unpublished } = counts!;
  return [
    check('places given in conversations', deliveries, numbered),
    check('events in the outbox', deliveries, events),
    check('events that never left the outbox', 0, unpublished),
  ];
}

const columns: Column[] = [
  ['1/s', 'closedPerSecond'],
  ['p50 ms', 'closedP50Ms'],
  ['p99 ms', 'closedP99Ms'],
  ['CPU-s/1k', 'closedCpu'],
  ['of plain', 'closedCpu', 'plain'],
  [`p50 at ${perSecond}/s`, 'openP50Ms'],
  [`p99 at ${perSecond}/s`, 'openP99Ms'],
  [`CPU-s/1k at ${perSecond}/s`, 'openCpu'],
  ['of plain', 'openCpu', 'plain'],
];

const table = (series: Series, builds: readonly Build[]) =>
  seriesTable(
    series,
    builds.map(({ name }) => name),
    {
      title: `Admission: POST /webhooks/messenger/:botId (${connections} connections; ${perSecond}/s)`,
      first: 'build',
      columns,
      notes: [
        'bare: node:http, reads the body, answers 200. plain: express, express.json, express-rate-limit in memory, timingSafeEqual,',
        'a JetStream publish awaited, fsync for every ack. CPU is read when the outbox is empty: work put off counts.',
      ],
    },
  );

const processTable = (series: Series) =>
  seriesTable(series, ['plain', own, throughGateway], {
    title: 'Admission: CPU-s/1k by process',
    first: 'build',
    columns: ['server', 'gateway', 'webhooks', 'postgres', 'nats'].map((group) => [
      group,
      `closedCpu:${group}`,
    ]),
  });
