import { createHash } from 'node:crypto';
import { findIntegration, integrationBinding, MessengerSecrets } from '@botyard/contracts/events/tenancy';
import { endpointChanged } from '@botyard/contracts/events/webhooks';
import { watch } from '@botyard/shared/bus/broadcast';
import type { Bus } from '@botyard/shared/bus/bus';
import { ask } from '@botyard/shared/bus/requests';
import { type Database, withPlatform, withTenant } from '@botyard/shared/db/database';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { type EndpointRow, findEndpoint, saveEndpoint } from '../store/endpoints.ts';
import { listOpenGroups, type OpenGroupRow } from '../store/group-rules.ts';
import { EndpointCache } from './endpoint-cache.ts';

/** The bot that an update came for, as the platform knows it. */
export interface OwnBot {
  platformBotId: string;
  username: string;
  /** Groups in which the bot answers everything, with the only topics for that (`general` for what is in none), or all. */
  openGroups?: ReadonlyMap<string, readonly string[] | null>;
}

/** What is needed to take a delivery for a bot, or to send for it. */
export interface Endpoint extends OwnBot {
  tenantId: string;
  botId: string;
  integrationId: string;
  isEnabled: boolean;
  openGroups: ReadonlyMap<string, readonly string[] | null>;
  botToken: Secret;
  /** SHA-256 of the secrets that a delivery may show: the current one, and the one before until it is replaced. */
  secretHashes: readonly Buffer[];
}

export interface Endpoints {
  /** `null` when no integration is known for the bot, here or at the tenancy service. @throws HttpError 503. */
  find(botId: string): Promise<Endpoint | null>;
  forget(botId: string): void;
  /** Drops what other instances changed. Called once the bus is there. */
  follow(bus: Bus): void;
}

export function createEndpoints(options: EndpointSource & { keyring: Keyring }): Endpoints {
  const load = async (botId: string): Promise<Endpoint | null> => {
    const row = await loadEndpoint(options, { botId, integrationType: 'messenger' });
    return row ? await openEndpoint(options.keyring, row, await readOpenGroups(options.database, row)) : null;
  };
  const cache = new EndpointCache(load);
  return {
    find: (botId) => cache.find(botId),
    forget: (botId) => cache.forget(botId),
    follow: (bus) =>
      watch(bus, endpointChanged, {
        onEvent: ({ botId }) => cache.forget(botId),
        onGap: () => cache.forgetAll(),
      }),
  };
}

/** Where endpoints are looked up: here, else at the tenancy service. */
export interface EndpointSource {
  bus: Bus;
  database: Database;
  /** An endpoint was learned of that nobody had announced yet. */
  onFound: () => void;
}

/** @throws HttpError 503. */
export async function loadEndpoint(
  source: EndpointSource,
  wanted: Parameters<typeof findEndpoint>[1],
): Promise<EndpointRow | undefined> {
  return (await readRow(source.database, wanted)) ?? (await adopt(source, wanted));
}

const readRow = (database: Database, wanted: Parameters<typeof findEndpoint>[1]) =>
  withPlatform(database, 'find endpoint', (tx) => findEndpoint(tx, wanted));

const readOpenGroups = (database: Database, { tenantId, botId }: EndpointRow) =>
  withTenant(database, [tenantId], (tx) => listOpenGroups(tx, tenantId, botId));

/** A delivery may come before the integration's event: the tenancy service knows. */
async function adopt(
  { bus, database, onFound }: EndpointSource,
  wanted: Parameters<typeof findEndpoint>[1],
): Promise<EndpointRow | undefined> {
  const { integration } = await ask(bus, findIntegration, wanted);
  if (!integration) return undefined;
  await withTenant(database, [integration.tenantId], (tx) => saveEndpoint(tx, integration));
  onFound();
  return await readRow(database, wanted);
}

async function openEndpoint(
  keyring: Keyring,
  row: EndpointRow,
  openGroups: readonly OpenGroupRow[],
): Promise<Endpoint | null> {
  if (!row.sealedSecrets) return null;
  const current = await openSecrets(keyring, row, row.sealedSecrets);
  const previous = row.previousSealedSecrets
    ? await openSecrets(keyring, row, row.previousSealedSecrets)
    : undefined;
  const accepted = [current.webhookSecretToken, previous?.webhookSecretToken].filter((secret) => !!secret);
  return {
    tenantId: row.tenantId,
    botId: row.botId,
    integrationId: row.integrationId,
    isEnabled: row.isEnabled,
    openGroups: new Map(openGroups.map(({ platformChatId, topics }) => [platformChatId, topics])),
    platformBotId: current.platformBotId,
    username: current.botUsername,
    botToken: new Secret(current.botToken),
    secretHashes: accepted.map((secret) => createHash('sha256').update(String(secret)).digest()),
  };
}

/** @throws Error when the sealed value was altered or belongs to another integration. */
export async function openSecrets(
  keyring: Keyring,
  row: Pick<EndpointRow, 'tenantId' | 'integrationId'>,
  sealed: string,
): Promise<MessengerSecrets> {
  const opened = await keyring.open(sealed, integrationBinding(row));
  return MessengerSecrets.parse(JSON.parse(opened.reveal()));
}
