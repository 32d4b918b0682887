import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startNatsServer } from '../../embedded/nats-server.ts';
import { type AdmissionHouse, startAdmissionHouse } from '../house/admission-house.ts';
import { createBots, webhookSecret } from '../house/bots.ts';
import { startHouse } from '../house/house.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { LoadResult, Loop, WebhookTarget } from '../load/messages.ts';
import { cpuSeconds, difference, type Groups, sumOf } from '../measure/processes.ts';
import { interleave } from '../measure/rounds.ts';
import { Series } from '../measure/series.ts';
import { type Bench, type Part, type PartResult, profileEnv } from '../part.ts';
import { startPeer } from '../peers/peer-process.ts';
import { check, spread, type Table, times } from '../report/table.ts';

const connections = 32;
const perSecond = 500;
const chats = 2000;
const tenants = 4;
const botsPerTenant = 5;
const drainWithinMs = 60_000;

interface Variant {
  name: string;
  port: number;
  pids: Groups;
  targets: () => Promise<WebhookTarget[]>;
  /** Resolves when nothing is left to do for what was answered: work put off is work, too. */
  settled: () => Promise<void>;
  /** Answers 200 so far, to be compared with what was kept. */
  accepted: number;
}

/** `POST /webhooks/messenger/:botId` until the 200. */
export const admission: Part = async (bench) => {
  const { cleanup, rounds, seconds, say } = bench;
  const load = await LoadProcess.start(cleanup);
  const { house, targets } = await prepare(bench, load);
  const plainNats = await startPlainNats(bench);
  const variants = await startVariants(bench, { house, targets, plainNats });
  const series = new Series();
  const run = async (variant: Variant, loop: Loop) => {
    const requests = { kind: 'update' as const, targets: await variant.targets(), chats };
    const before = cpuSeconds(variant.pids);
    const result = await load.load({ port: variant.port, requests, loop });
    const begin = performance.now();
    await variant.settled();
    variant.accepted += result.ok;
    return {
      ...result,
      cpu: difference(cpuSeconds(variant.pids), before),
      drainMs: performance.now() - begin,
    };
  };
  for (const variant of variants) await run(variant, closedLoop(2));
  await interleave(variants, rounds, async (variant, round) => {
    say(`round ${round + 1}/${rounds}: ${variant.name}, ${connections} connections`);
    const closed = await run(variant, closedLoop(seconds));
    say(`round ${round + 1}/${rounds}: ${variant.name}, ${perSecond}/s`);
    const open = await run(variant, { kind: 'open', perSecond, seconds, mostConnections: 400 });
    series.add(variant.name, {
      ...figures('closed', closed),
      ...figures('open', open),
      drainMs: closed.drainMs,
    });
  });
  return { tables: [table(series, variants)], checks: await checkCounts(house, variants), rounds: series };
};

const closedLoop = (seconds: number): Loop => ({ kind: 'closed', connections, seconds, most: 100_000 });

type Phase = LoadResult & { cpu: Groups };

function figures(name: string, { cpu, answered, ok, seconds, p50Ms, p99Ms }: Phase): Record<string, number> {
  const perThousand = (value: number) => (value / answered) * 1000;
  const byProcess = Object.entries(cpu).map(([group, value]) => [`${name}Cpu:${group}`, perThousand(value)]);
  return {
    [`${name}PerSecond`]: answered / seconds,
    [`${name}P50Ms`]: p50Ms,
    [`${name}P99Ms`]: p99Ms,
    [`${name}Cpu`]: perThousand(sumOf(cpu)),
    [`${name}Refused`]: answered - ok,
    ...Object.fromEntries(byProcess),
  };
}

/** Bots are made with everything running; then only what admits is started again. */
async function prepare(
  bench: Bench,
  load: LoadProcess,
): Promise<{ house: AdmissionHouse; targets: WebhookTarget[] }> {
  const { cleanup, say } = bench;
  const { messengerUrl, modelUrl } = await load.platforms();
  const env = {
    MESSENGER_API_URL: messengerUrl,
    PRIVATE_LLM_BASE_URL: modelUrl,
    MAILER_API_URL: messengerUrl,
    IDP_API_URL: messengerUrl,
    WEBHOOK_RATE_LIMIT_PER_MINUTE: '1000000000',
  };
  const dataDir = join(bench.dir, 'house');
  say('making bots');
  const whole = await startHouse({ dataDir, cleanup, env });
  const targets = await createBots(whole.gatewayUrl, { tenants, botsPerTenant });
  await whole.stop();
  say('starting what admits');
  return {
    house: await startAdmissionHouse(dataDir, { env: { ...env, ...profileEnv(bench) }, cleanup }),
    targets,
  };
}

async function startPlainNats({ dir, cleanup }: Bench): Promise<{ url: string; pid: number }> {
  const nats = await startNatsServer({ storeDir: join(dir, 'plain-nats'), users: [], log: () => {} });
  await cleanup.add(() => nats.stop());
  return nats;
}

async function startVariants(
  { cleanup }: Bench,
  started: { house: AdmissionHouse; targets: WebhookTarget[]; plainNats: { url: string; pid: number } },
): Promise<(Variant & { count: () => Promise<number> })[]> {
  const { house, targets, plainNats } = started;
  const bare = await startPeer('bare-server', { cleanup });
  const env = { NATS_URL: plainNats.url, WEBHOOK_SECRET: webhookSecret };
  const plain = await startPeer('plain-admission', { cleanup, env });
  const { webhooks = 0, postgres = 0, nats = 0, gateway = 0 } = house.pids;
  const asGateway = async () => {
    const identity = await house.identityHeaders();
    return targets.map(({ path, headers }) => ({ path, headers: { ...headers, ...identity } }));
  };
  const ours = {
    settled: () => drained(house),
    accepted: 0,
    count: async () => (await house.count()).deliveries,
  };
  const theirs = { settled: async () => {}, accepted: 0, targets: async () => targets };
  const plainCount = async () => ((await plain.ask('count')) as { count: number }).count;
  return [
    { ...theirs, name: 'bare', port: bare.port, pids: { server: bare.pid }, count: async () => Number.NaN },
    {
      ...theirs,
      name: 'plain',
      port: plain.port,
      pids: { server: plain.pid, nats: plainNats.pid },
      count: plainCount,
    },
    {
      ...ours,
      name: 'botyard',
      port: house.webhooksPort,
      pids: { webhooks, postgres, nats },
      targets: asGateway,
    },
    {
      ...ours,
      name: 'botyard through its gateway',
      port: house.gatewayPort,
      pids: { gateway, webhooks, postgres, nats },
      targets: async () => targets,
    },
  ];
}

async function drained(house: AdmissionHouse): Promise<void> {
  const deadline = performance.now() + drainWithinMs;
  while ((await house.count()).unpublished > 0 && performance.now() < deadline) await pause(100);
}

async function checkCounts(
  house: AdmissionHouse,
  variants: readonly (Variant & { count: () => Promise<number> })[],
): Promise<PartResult['checks']> {
  const acceptedBy = (prefix: string) =>
    variants.filter(({ name }) => name.startsWith(prefix)).reduce((sum, { accepted }) => sum + accepted, 0);
  const kept = await house.count();
  const accepted = acceptedBy('botyard');
  const plainKept = (await variants.find(({ name }) => name === 'plain')?.count()) ?? Number.NaN;
  return [
    check('deliveries kept for each 200', accepted, kept.deliveries),
    check('places given in conversations', accepted, kept.numbered),
    check('events in the outbox', accepted, kept.events),
    check('events that never left the outbox', 0, kept.unpublished),
    check("messages in the plain build's stream", acceptedBy('plain'), plainKept),
  ];
}

function table(series: Series, variants: readonly Variant[]): Table {
  return {
    title: `Admission: POST /webhooks/messenger/:botId (${connections} connections; ${perSecond}/s)`,
    head: [
      'build',
      '1/s',
      'p50 ms',
      'p99 ms',
      'CPU-s/1k',
      'of plain',
      'by process',
      `p50 at ${perSecond}/s`,
      `p99 at ${perSecond}/s`,
      `CPU-s/1k at ${perSecond}/s`,
      'of plain',
    ],
    rows: variants.map(({ name, pids }) => [
      name,
      spread(series.of(name, 'closedPerSecond')),
      spread(series.of(name, 'closedP50Ms')),
      spread(series.of(name, 'closedP99Ms')),
      spread(series.of(name, 'closedCpu')),
      times(series.ratio(name, 'plain', 'closedCpu')),
      Object.keys(pids)
        .map((group) => `${group} ${series.of(name, `closedCpu:${group}`)?.median.toFixed(3)}`)
        .join(' + '),
      spread(series.of(name, 'openP50Ms')),
      spread(series.of(name, 'openP99Ms')),
      spread(series.of(name, 'openCpu')),
      times(series.ratio(name, 'plain', 'openCpu')),
    ]),
    notes: [
      'bare: node:http, reads the body, answers 200. plain: express, express.json, express-rate-limit in memory, timingSafeEqual,',
      'a JetStream publish awaited, fsync for every ack. CPU is read when the outbox is empty: work put off counts.',
    ],
  };
}
