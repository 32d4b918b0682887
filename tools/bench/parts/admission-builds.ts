import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startNatsServer } from '../../embedded/nats-server.ts';
import { type AdmissionSetup, startAdmissionSetup } from '../installation/admission-setup.ts';
import { createBots, webhookSecret } from '../installation/bots.ts';
import { startInstallation } from '../installation/installation.ts';
import type { LoadProcess } from '../load/load-process.ts';
import type { WebhookTarget } from '../load/messages.ts';
import type { Groups } from '../measure/processes.ts';
import { type Bench, profileEnv } from '../part.ts';
import { orLeftOut } from '../peers/fetch/left-out.ts';
import { startGrammy } from '../peers/grammy/start.ts';
import { startN8nWebhook } from '../peers/n8n/start.ts';
import { startPeer } from '../peers/peer-process.ts';

const tenants = 4;
const botsPerTenant = 5;
const drainWithinMs = 60_000;

/** A measured server that accepts updates. */
export interface Build {
  name: string;
  port: number;
  pids: Groups;
  targets: () => Promise<WebhookTarget[]>;
  /** Resolves when the work of all responses is finished, including deferred work. */
  settled: () => Promise<void>;
  /** The number of 200 responses so far, to compare with the number of stored updates. */
  accepted: number;
  /** Returns the number of stored updates. `undefined` if the server stores none or is counted elsewhere. */
  count?: () => Promise<number>;
  /** True if the server recognizes repeated updates. */
  isDeduping?: boolean;
  /** True if the server is too slow for the scheduled load. */
  isSlow?: boolean;
}

export const names = {
  plain: 'plain',
  grammy: 'grammY + BullMQ',
  n8n: 'n8n',
  ours: 'botyard',
  throughGateway: 'botyard through its gateway',
} as const;

const theirTargets = async () => [
  { path: '/webhooks/messenger/bench', headers: { 'x-telegram-bot-api-secret-token': webhookSecret } },
];
const theirs = { settled: async () => {}, accepted: 0, targets: theirTargets };

/** Creates bots with all services running, then restarts only the processes for admission. */
export async function startOurs(
  bench: Bench,
  load: LoadProcess,
): Promise<{ setup: AdmissionSetup; builds: Build[] }> {
  const { cleanup, say } = bench;
  const { messengerUrl, modelUrl } = await load.platforms();
  const env = {
    MESSENGER_API_URL: messengerUrl,
    PRIVATE_LLM_BASE_URL: modelUrl,
    MAILER_API_URL: messengerUrl,
    IDP_API_URL: messengerUrl,
    WEBHOOK_RATE_LIMIT_PER_MINUTE: '1000000000',
  };
  const dataDir = join(bench.dir, 'installation');
  say('creating bots');
  const whole = await startInstallation({ dataDir, cleanup, env });
  const targets = await createBots(whole.gatewayUrl, { tenants, botsPerTenant });
  await whole.stop();
  say('starting the processes for admission');
  const setup = await startAdmissionSetup(dataDir, { env: { ...env, ...profileEnv(bench) }, cleanup });
  return { setup, builds: buildsOf(setup, targets) };
}

function buildsOf(setup: AdmissionSetup, targets: WebhookTarget[]): Build[] {
  const { webhooks = 0, postgres = 0, nats = 0, gateway = 0 } = setup.pids;
  const asGateway = async () => {
    const identity = await setup.identityHeaders();
    return targets.map(({ path, headers }) => ({ path, headers: { ...headers, ...identity } }));
  };
  const ours = { settled: () => drained(setup), accepted: 0, isDeduping: true };
  return [
    {
      ...ours,
      name: names.ours,
      port: setup.webhooksPort,
      pids: { webhooks, postgres, nats },
      targets: asGateway,
    },
    {
      ...ours,
      name: names.throughGateway,
      port: setup.gatewayPort,
      pids: { gateway, webhooks, postgres, nats },
      targets: async () => targets,
    },
  ];
}

async function drained(setup: AdmissionSetup): Promise<void> {
  const deadline = performance.now() + drainWithinMs;
  while ((await setup.count()).unpublished > 0 && performance.now() < deadline) await pause(100);
}

/** Starts the implementations that others would build or choose. The notes name missing ones. */
export async function startTheirs(bench: Bench, notes: string[]): Promise<Build[]> {
  const { cleanup, dir } = bench;
  const bare = await startPeer('bare-server', { cleanup });
  const nats = await startNatsServer({ storeDir: join(dir, 'plain-nats'), users: [], log: () => {} });
  await cleanup.add(() => nats.stop());
  const env = { NATS_URL: nats.url, WEBHOOK_SECRET: webhookSecret };
  const plain = await startPeer('plain-admission', { cleanup, env });
  return [
    { ...theirs, name: 'bare', port: bare.port, pids: { server: bare.pid } },
    {
      ...theirs,
      name: names.plain,
      port: plain.port,
      pids: { server: plain.pid, nats: nats.pid },
      count: async () => ((await plain.ask('count')) as { count: number }).count,
      isDeduping: true,
    },
    ...(bench.isOwnOnly ? [] : await startOthers(bench, notes)),
  ];
}

async function startOthers(bench: Bench, notes: string[]): Promise<Build[]> {
  return [
    ...(await orLeftOut({ name: names.grammy, notes }, () => startGrammyBuild(bench, notes))),
    ...(await orLeftOut({ name: names.n8n, notes }, () => startN8nBuild(bench, notes))),
  ];
}

async function startGrammyBuild(bench: Bench, notes: string[]): Promise<Build> {
  const { port, pids, ask, redisVersion } = await startGrammy(bench);
  notes.push(
    `grammY + BullMQ: webhookCallback, a job with the update's number for each; Redis ${redisVersion}, AOF each second.`,
  );
  const count = async () => ((await ask('count')) as { count: number }).count;
  return { ...theirs, name: names.grammy, port, pids, count, isDeduping: true };
}

async function startN8nBuild(bench: Bench, notes: string[]): Promise<Build> {
  const n8n = await startN8nWebhook(bench);
  notes.push(
    `n8n ${n8n.version}: Webhook node with header auth, answers at once, -> NoOp; legacy expression engine, sqlite, executions saved.`,
  );
  const build: Build = {
    ...theirs,
    name: names.n8n,
    port: n8n.port,
    pids: { n8n: n8n.pid },
    targets: async () => n8n.targets,
    count: async () => n8n.executions(),
    isSlow: true,
  };
  build.settled = async () => {
    const deadline = performance.now() + drainWithinMs;
    let kept = n8n.executions();
    for (let before = -1; kept > before && performance.now() < deadline; ) {
      before = kept;
      await pause(1000);
      kept = n8n.executions();
    }
  };
  return build;
}
