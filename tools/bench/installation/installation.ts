import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { LauncherProcess } from '../../../test/e2e/launcher-process.ts';
import { freePort } from '../../embedded/free-port.ts';
import { ask } from '../../rig/people.ts';
import type { Groups } from '../../rig/processes.ts';
import { type Check, check } from '../../rig/table.ts';
import type { LoadProcess } from '../load/load-process.ts';
import type { ConversationResult, Target } from '../load/messages.ts';
import { type Bench, profileEnv } from '../part.ts';

const upWithinMs = 90_000;
const registeredWithinMs = 60_000;
export const webhookSecret = 'bench-webhook-secret';

/** All of Botyard, as `npm start` runs it. */
export interface Installation {
  gatewayUrl: string;
  gatewayPort: number;
  /** The process IDs of the launcher and of the processes that it started, by name. */
  pids: Groups;
  healthySeconds: number;
  /** The seconds until the demo exists. */
  seededSeconds: number;
  launcher: LauncherProcess;
  stop(): Promise<void>;
}

interface InstallationOptions {
  dataDir: string;
  env?: Readonly<Record<string, string>>;
  /** The checkout to run. Defaults to this one. */
  checkout?: string | undefined;
}

export async function startInstallation(
  { cleanup }: Pick<Bench, 'cleanup'>,
  { dataDir, env = {}, checkout }: InstallationOptions,
): Promise<Installation> {
  const gatewayPort = await freePort();
  const gatewayUrl = `http://127.0.0.1:${gatewayPort}`;
  const begin = performance.now();
  const seconds = () => (performance.now() - begin) / 1000;
  const settings = {
    NODE_ENV: 'development',
    AUTH_DEV_MODE: 'true',
    PORT: String(gatewayPort),
    // Makes the launcher stop when this process ends, as it does when npm ends.
    npm_lifecycle_event: 'bench',
    ...env,
  };
  const starting = LauncherProcess.start(settings, { dataDir, checkout });
  const healthy = eventually(`${gatewayUrl} is healthy`, () => isHealthy(gatewayUrl), {
    timeoutMs: upWithinMs,
  }).then(seconds);
  const [launcher, healthySeconds] = await Promise.all([starting, healthy]);
  const seededSeconds = seconds();
  const stop = async () => void (await launcher.stop({ keepsData: true }));
  await cleanup.add(stop);
  const pids = (await launcher.readRun())?.pids ?? {};
  return { gatewayUrl, gatewayPort, pids, healthySeconds, seededSeconds, launcher, stop };
}

async function isHealthy(gatewayUrl: string): Promise<boolean> {
  const signal = AbortSignal.timeout(2000);
  const answer = await fetch(`${gatewayUrl}/api/health`, { signal }).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.ok === true;
}

/** The agent of a tenant's bots. */
export interface BenchAgent {
  tenantId: string;
  agentId: string;
}

/** Starts all of Botyard with the load process as its platforms, and creates bots, tenant by tenant. */
export async function startWithBots(
  bench: Bench,
  load: LoadProcess,
  size: { tenants: number; botsPerTenant: number },
  checkout?: string,
): Promise<{ installation: Installation; targets: Target[]; agents: BenchAgent[] }> {
  const { messengerUrl, modelUrl } = await load.platforms();
  bench.say(checkout ? `starting all processes of ${checkout}` : 'starting all processes');
  const installation = await startInstallation(bench, {
    dataDir: join(bench.dir, checkout ? 'installation-beside' : 'installation'),
    checkout,
    env: {
      MESSENGER_API_URL: messengerUrl,
      PRIVATE_LLM_BASE_URL: modelUrl,
      MAILER_API_URL: messengerUrl,
      MAILER_DOMAIN: 'bots.bench.example',
      MAILER_MESSAGES_PER_DAY: '1000000000',
      IDP_API_URL: messengerUrl,
      WEBHOOK_RATE_LIMIT_PER_MINUTE: '1000000000',
      ...profileEnv(bench),
    },
  });
  bench.say('creating bots');
  return { installation, ...(await createBots(installation, size)) };
}

export const benchAgent = {
  name: 'Bench',
  instructions: 'Answer shortly.',
  provider: 'private-llm',
  model: 'default',
};

/** Creates tenants with an agent and bots that answer immediately. The targets are the bots' webhooks. */
async function createBots(
  installation: Installation,
  { tenants, botsPerTenant }: { tenants: number; botsPerTenant: number },
): Promise<{ targets: Target[]; agents: BenchAgent[] }> {
  const call = (what: string, body?: unknown) =>
    ask<Record<string, string>>(installation, undefined, what, body);
  const integrations: string[] = [];
  const targets: Target[] = [];
  const agents: BenchAgent[] = [];
  for (let tenant = 0; tenant < tenants; tenant += 1) {
    const { tenantId } = await call('POST /api/bots/tenants', { name: `Bench ${tenant}` });
    await call('POST /api/tenant/select', { tenantId });
    const { id } = await call('POST /api/definitions/agents', benchAgent);
    agents.push({ tenantId: tenantId!, agentId: id! });
    for (let bot = 0; bot < botsPerTenant; bot += 1) {
      const number = tenant * 1000 + bot;
      const newBot = { name: `Bot ${number}`, agentIds: [id], joinWindowMs: 0 };
      const { botId } = await call(`POST /api/bots/${tenantId}/bots`, newBot);
      const address = `/api/bots/${tenantId}/${botId}/integrations`;
      const { integrationId } = await call(`POST ${address}`, {
        integrationType: 'messenger',
        credentials: { botToken: botToken(number), botName: `bench_${number}_bot` },
        settings: { messenger: { webhookSecretToken: webhookSecret } },
      });
      integrations.push(`${address}/${integrationId}`);
      targets.push({
        path: `/webhooks/messenger/${botId}`,
        headers: { 'x-telegram-bot-api-secret-token': webhookSecret },
      });
    }
  }
  const isRegistered = async (address: string) => {
    const { registration } = await ask<{ registration?: { state: string } }>(
      installation,
      undefined,
      `GET ${address}`,
    );
    return registration?.state === 'registered';
  };
  for (const address of integrations)
    await eventually('a webhook is registered', () => isRegistered(address), {
      timeoutMs: registeredWithinMs,
      everyMs: 50,
    });
  return { targets, agents };
}

/** Creates a tenant with a bot that answers immediately in a web chat. */
export async function createWebchat(
  installation: Installation,
): Promise<{ botId: string; origin: string; identitySecret: string }> {
  const call = (what: string, body?: unknown) =>
    ask<Record<string, string>>(installation, undefined, what, body);
  const { tenantId } = await call('POST /api/bots/tenants', { name: 'Bench of visitors' });
  await call('POST /api/tenant/select', { tenantId });
  const { id } = await call('POST /api/definitions/agents', benchAgent);
  const newBot = { name: 'Bot of visitors', agentIds: [id], joinWindowMs: 0 };
  const { botId } = await call(`POST /api/bots/${tenantId}/bots`, newBot);
  const site = { origin: 'https://shop.example', identitySecret: 'a-secret-of-the-site-that-nobody-guesses' };
  await call(`POST /api/bots/${tenantId}/${botId}/integrations`, {
    integrationType: 'webchat',
    credentials: {},
    settings: { webchat: { allowedOrigins: [site.origin], identitySecret: site.identitySecret } },
  });
  return { botId: botId!, ...site };
}

/** Returns a token in the messenger's format. The fake messenger creates the bot when it first sees the token. */
export const botToken = (number: number): string => `${7_100_000_000 + number}:${'A'.repeat(35)}`;

/** Posts an update without the right secret, which must be refused. */
export async function checkRefusal(name: string, port: number, { path, headers }: Target): Promise<Check> {
  const { status } = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...headers, 'x-telegram-bot-api-secret-token': 'wrong', 'content-type': 'application/json' },
    body: '{"update_id":1}',
  });
  return {
    what: `${name} refuses a wrong secret`,
    isRight: [401, 403].includes(status),
    detail: `found ${status}`,
  };
}

/** Checks that every accepted message was answered exactly once. */
export function answerChecks(name: string, results: readonly ConversationResult[]): Check[] {
  const total = (metric: 'accepted' | 'lost' | 'duplicated') =>
    results.reduce((sum, one) => sum + one[metric], 0);
  const strange = results.flatMap((one) => one.strange);
  return [
    check(`${name}: lost of ${total('accepted')}`, 0, total('lost')),
    check(`${name}: duplicated`, 0, total('duplicated')),
    {
      what: `${name}: unexpected answers`,
      isRight: strange.length === 0,
      detail: `${strange.length}${strange[0] ? `, such as ${JSON.stringify(strange[0])}` : ''}`,
    },
  ];
}
