import { z } from 'zod';
import { waitUntil } from '../../embedded/wait-until.ts';
import type { Api } from '../seed-api.ts';
import type { FakeName } from '../settings/fakes.ts';
import { untilRegistered } from './registration.ts';

/** Where the demo bot and the sandbox are. */
interface Place {
  api: Api;
  sandbox: Api;
  sandboxUrl: string;
  /** The path of the bot's integrations. */
  path: string;
  botId: string;
  /** The address at which the sandbox reaches the gateway. */
  webhookBaseUrl: string;
}

const Integration = z.object({ integrationId: z.string(), integrationType: z.string() });

/** A fake may ask for the address before the service behind it knows the integration. */
const knownWithinMs = 20_000;

async function connectSite({ api, sandbox, sandboxUrl, path, botId }: Place): Promise<void> {
  const { origin, port } = new URL(sandboxUrl);
  const allowedOrigins = [...new Set([origin, `http://localhost:${port}`, `http://127.0.0.1:${port}`])];
  const settings = { webchat: { allowedOrigins } };
  await api.post(path, { integrationType: 'webchat', credentials: {}, settings }, Integration);
  await sandbox.post('/api/site', { botId }, z.unknown());
}

const Workspace = z.object({ app: z.object({ botToken: z.string(), signingSecret: z.string() }) });

async function connectWorkspace({ api, sandbox, path, botId, webhookBaseUrl }: Place): Promise<void> {
  const { app } = await sandbox.get('/api/slack', Workspace);
  const { botToken, signingSecret } = app;
  await api.post(path, { integrationType: 'slack', credentials: { botToken, signingSecret } }, Integration);
  const url = `${webhookBaseUrl}/webhooks/slack/${botId}`;
  const verify = () =>
    sandbox.post('/api/slack/address', { url }, z.unknown()).then(
      () => true,
      () => undefined,
    );
  const isVerified = await waitUntil(verify, { timeoutMs: knownWithinMs, everyMs: 100 });
  if (!isVerified) throw new Error('the address for its workspace was not verified');
}

const Phone = z.object({ credentials: z.record(z.string(), z.string()) });

/** The service registers the address of the number. */
async function connectNumber({ api, sandbox, path }: Place): Promise<void> {
  const { credentials } = await sandbox.get('/api/whatsapp', Phone);
  const body = { integrationType: 'whatsapp', credentials };
  const { integrationId } = await api.post(path, body, Integration);
  await untilRegistered(api, `${path}/${integrationId}`);
}

/** The further channels of the demo bot, each with the fake that it needs. */
const channels: Readonly<Record<string, { fake?: FakeName; connect: (place: Place) => Promise<void> }>> = {
  webchat: { connect: connectSite },
  slack: { fake: 'slack', connect: connectWorkspace },
  whatsapp: { fake: 'whatsapp', connect: connectNumber },
};

/**
 * Connects the demo bot to each channel that is not among `connected`, which someone may have disconnected since.
 * Returns all of them.
 */
export async function connectChannels(
  place: Place,
  { fakes, connected }: { fakes: ReadonlySet<string>; connected: readonly string[] },
): Promise<string[]> {
  const wanted = Object.entries(channels).filter(
    ([name, { fake }]) => (fake === undefined || fakes.has(fake)) && !connected.includes(name),
  );
  if (wanted.length === 0) return [...connected];
  const existing = new Set(
    (await place.api.list(place.path, Integration)).map(({ integrationType }) => integrationType),
  );
  await Promise.all(wanted.map(([name, { connect }]) => (existing.has(name) ? undefined : connect(place))));
  return [...connected, ...wanted.map(([name]) => name)];
}
