import {
  findIntegration,
  type IntegrationState,
  integrationBinding,
} from '@botyard/contracts/events/tenancy';
import { isReplacedBy, RenewedSecrets } from '@botyard/contracts/events/tenancy-installations';
import { endpointChanged } from '@botyard/contracts/events/webhooks';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import { watch } from '@botyard/shared/bus/broadcast';
import type { Bus } from '@botyard/shared/bus/bus';
import { ask } from '@botyard/shared/bus/requests';
import { type Database, withPlatform, withTenant } from '@botyard/shared/db/database';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import { openJson } from '@botyard/shared/secrets/sealed-json';
import type { z } from 'zod';
import type { Connector, Endpoint } from '../../platforms/platform.ts';
import {
  type EndpointRow,
  findBotOfAccount,
  findEndpoint,
  nameAccount,
  saveEndpoint,
} from '../store/endpoints.ts';
import { listOpenGroups, type OpenGroupRow } from '../store/group-rules.ts';
import { EndpointCache } from './endpoint-cache.ts';

export interface Endpoints {
  /**
   * Resolves with `null` when neither this service nor the tenancy service knows an integration of the bot with the
   * platform. @throws HttpError 503.
   */
  find<Connection extends object>(
    connector: Connector<unknown, Connection>,
    botId: string,
  ): Promise<(Endpoint & Connection) | null>;
  /** The integration of an account at the platform; `null` when there is none. @throws HttpError 503. */
  findByAccount<Connection extends object>(
    connector: Connector<unknown, Connection>,
    accountId: string,
  ): Promise<(Endpoint & Connection) | null>;
  forget(botId: string): void;
  /** Reports changed integrations, also those that other instances changed. */
  listen(listener: EndpointListener): void;
  /** Invalidates values that other instances changed. Called after the bus is connected. */
  follow(bus: Bus): void;
}

/** Drops what it has cached of a bot's integrations, or of all. */
interface EndpointListener {
  forget(botId: string): void;
  forgetAll(): void;
}

export function createEndpoints(options: EndpointSource & { keyring: Keyring }): Endpoints {
  const load = async <Connection extends object>(
    connector: Connector<unknown, Connection>,
    botId: string,
  ): Promise<(Endpoint & Connection) | null> => {
    const row = await loadEndpoint(options, { botId, integrationType: connector.name });
    if (!row?.sealedSecrets) return null;
    const openGroups = await readOpenGroups(options.database, row);
    return await openEndpoint(
      options.keyring,
      connector,
      { ...row, sealedSecrets: row.sealedSecrets },
      openGroups,
    );
  };
  const caches = new Map<Connector, EndpointCache<object>>();
  const cacheOf = (connector: Connector): EndpointCache<object> => {
    const cache = caches.get(connector) ?? new EndpointCache<object>((botId) => load(connector, botId));
    caches.set(connector, cache);
    return cache;
  };
  const listeners: EndpointListener[] = [];
  const forget = (botId: string) => {
    for (const cache of [...caches.values(), ...listeners]) cache.forget(botId);
  };
  // A connector's cache only contains values that this connector created.
  const find = async <Connection extends object>(connector: Connector<unknown, Connection>, botId: string) =>
    (await cacheOf(connector).find(botId)) as (Endpoint & Connection) | null;
  return {
    find,
    findByAccount: async (connector, accountId) => {
      const account = { integrationType: connector.name, accountId };
      const storedBotId = await withPlatform(options.database, 'find the bot of an account', (tx) =>
        findBotOfAccount(tx, account),
      );
      const botId = storedBotId ?? (await adopt(options, account))?.botId;
      return botId === undefined ? null : await find(connector, botId);
    },
    forget,
    listen: (listener) => void listeners.push(listener),
    follow: (bus) =>
      watch(bus, endpointChanged, {
        onEvent: ({ botId }) => forget(botId),
        onGap: () => {
          for (const cache of [...caches.values(), ...listeners]) cache.forgetAll();
        },
      }),
  };
}

/** Where endpoints are looked up: in this service first, then in the tenancy service. */
export interface EndpointSource {
  bus: Bus;
  database: Database;
  /** Called when an endpoint was found before its announcement. */
  onFound: () => void;
}

/** @throws HttpError 503. */
export async function loadEndpoint(
  source: EndpointSource,
  wanted: Parameters<typeof findEndpoint>[1],
): Promise<EndpointRow | undefined> {
  const row = await readRow(source.database, wanted);
  if (row) return row;
  return (await adopt(source, wanted)) && (await readRow(source.database, wanted));
}

const readRow = (database: Database, wanted: Parameters<typeof findEndpoint>[1]) =>
  withPlatform(database, 'find endpoint', (tx) => findEndpoint(tx, wanted));

const readOpenGroups = (database: Database, { tenantId, botId, integrationType: platform }: EndpointRow) =>
  withTenant(database, [tenantId], (tx) => listOpenGroups(tx, { tenantId, botId, platform }));

/** A delivery may arrive before the integration's event, so the tenancy service is asked. */
async function adopt(
  { bus, database, onFound }: EndpointSource,
  wanted: z.input<(typeof findIntegration)['request']>,
): Promise<IntegrationState | undefined> {
  const { integration } = await ask(bus, findIntegration, wanted);
  if (!integration) return undefined;
  await withTenant(database, [integration.tenantId], async (tx) => {
    if (!(await saveEndpoint(tx, integration))) await nameAccount(tx, integration);
  });
  onFound();
  return integration;
}

async function openEndpoint<Connection extends object>(
  keyring: Keyring,
  connector: Connector<unknown, Connection>,
  row: EndpointRow & { sealedSecrets: string },
  openGroups: readonly OpenGroupRow[],
): Promise<Endpoint & Connection> {
  const current = await openCurrent(keyring, connector, row);
  const previous = row.previousSealedSecrets
    ? await openSecrets(keyring, connector, row, row.previousSealedSecrets)
    : undefined;
  const { tenantId, botId, integrationId, isEnabled, firstDeliveryAt } = row;
  return {
    tenantId,
    botId,
    integrationId,
    isEnabled,
    isAwaitingFirstDelivery:
      firstDeliveryAt === null && !platformCapabilities[connector.name].registersWebhook,
    platform: connector.name,
    openGroups: new Map(openGroups.map(({ platformChatId, topics }) => [platformChatId, topics])),
    ...connector.connect(current, previous),
  };
}

/** The announced secrets, or those that the platform replaced them with since. */
async function openCurrent<Credentials>(
  keyring: Keyring,
  connector: Pick<Connector<Credentials>, 'credentials'>,
  row: EndpointRow & { sealedSecrets: string },
): Promise<Credentials> {
  const announced = await openSecrets(keyring, connector, row, row.sealedSecrets);
  const renewal = await openRenewed(keyring, row);
  return renewal && isReplacedBy({ ...(announced as object) }, renewal)
    ? connector.credentials.parse({ ...announced, ...renewal.renewed })
    : announced;
}

/** @throws Error like `openSecrets`. */
export async function openRenewed(
  keyring: Keyring,
  row: Pick<EndpointRow, 'tenantId' | 'integrationId' | 'renewedSecrets'>,
): Promise<RenewedSecrets | undefined> {
  if (row.renewedSecrets === null) return undefined;
  return RenewedSecrets.parse(await openJson(keyring, row.renewedSecrets, integrationBinding(row)));
}

/** @throws Error when the sealed value was altered or belongs to another integration. */
export async function openSecrets<Credentials>(
  keyring: Keyring,
  { credentials }: Pick<Connector<Credentials>, 'credentials'>,
  row: Pick<EndpointRow, 'tenantId' | 'integrationId'>,
  sealed: string,
): Promise<Credentials> {
  const opened = await keyring.open(sealed, integrationBinding(row));
  return credentials.parse(JSON.parse(opened.reveal()));
}
