import { randomInt, randomUUID } from 'node:crypto';
import type { DataOf, EventType } from '@botyard/contracts/events/definition';
import {
  findIntegration,
  type IntegrationState,
  integrationBinding,
  integrationDeleted,
  integrationSaved,
} from '@botyard/contracts/events/tenancy';
import type { Bus } from '@botyard/shared/bus/bus';
import { answer } from '@botyard/shared/bus/requests';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { eventually } from '@botyard/testing/eventually';
import type { CallFilter } from '@botyard/testing/fake/fake-server';
import {
  type FakeMessenger,
  type FakeMessengerOptions,
  startFakeMessenger,
} from '@botyard/testing/fake-messenger';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import { createApp } from '../src/app.ts';
import { webhooksConfig } from '../src/config.ts';

export const webhookBaseUrl = 'https://hooks.example.com';

/** An integration as the tenancy service would announce it, with its sealed content. */
export interface Integration {
  tenantId: string;
  integrationId: string;
  botId: string;
  botToken: string;
  secret: string;
  isEnabled: boolean;
  account?: Pick<IntegrationState, 'accountId' | 'isWithoutAccount'>;
  revision: number;
  /** A setting of the integration; the platform's default if it is left out. */
  lostTopic?: 'general' | 'none';
}

export interface WebhooksServices {
  harness: ServiceHarness;
  messenger: FakeMessenger;
  /** The tenancy service's answers about a bot's integration. */
  integrations: Map<string, Integration>;
}

/** The services around webhooks: a messenger, and a tenancy service whose answers the test gives. */
export async function openWebhooksServices(options: FakeMessengerOptions = {}): Promise<WebhooksServices> {
  const harness = await ServiceHarness.open();
  const messenger = await startFakeMessenger({ limitsWebhookRate: false, ...options });
  const integrations = new Map<string, Integration>();
  const services = { harness, messenger, integrations };
  await harness.busAs('agents');
  answer(await harness.busAs('tenancy'), findIntegration, async (wanted) => {
    const isWanted = ({ account }: Integration) =>
      'accountId' in wanted && account?.accountId === wanted.accountId;
    const integration =
      'botId' in wanted ? integrations.get(wanted.botId) : [...integrations.values()].find(isWanted);
    return { integration: integration ? await stateOf(services, integration) : null };
  });
  return services;
}

export async function closeWebhooksServices(services: WebhooksServices | undefined): Promise<void> {
  await services?.harness.close();
  await services?.messenger.close();
}

export function startWebhooks(
  { harness, messenger }: WebhooksServices,
  env: Record<string, string> = {},
  options: { namespace?: string } = {},
): Promise<TestService> {
  const settings = {
    MESSENGER_API_URL: messenger.url,
    WEBHOOK_BASE_URL: webhookBaseUrl,
    ...env,
  };
  return harness.start({ service: 'webhooks', schema: webhooksConfig, createApp, env: settings }, options);
}

/** Makes a bot at the messenger, and an integration for it that nobody has announced yet. */
export function newIntegration(
  { messenger }: WebhooksServices,
  change: Partial<Integration> = {},
): Integration {
  const botToken = newToken();
  const integration = {
    tenantId: randomUUID(),
    integrationId: randomUUID(),
    botId: randomUUID(),
    botToken,
    secret: `secret-${randomUUID()}`,
    isEnabled: true,
    revision: 1,
    ...change,
  };
  if (!messenger.bots.some(({ token }) => token === integration.botToken))
    messenger.addBot({ token: integration.botToken });
  return integration;
}

export const newToken = () => `${randomInt(10_000_000, 9_000_000_000)}:AA${randomUUID().replaceAll('-', '')}`;

async function stateOf(
  { harness, messenger }: WebhooksServices,
  given: Integration,
): Promise<IntegrationState> {
  const { tenantId, integrationId, botId, botToken, secret, isEnabled, revision, lostTopic } = given;
  const { id, username } = messenger.bot(botToken);
  const secrets = {
    botToken,
    botUsername: username,
    platformBotId: String(id),
    webhookSecretToken: secret,
    lostTopic,
  };
  const sealedSecrets = await Keyring.parse(harness.secretsKeys).seal(
    new Secret(JSON.stringify(secrets)),
    integrationBinding(given),
  );
  return {
    tenantId,
    integrationId,
    botId,
    integrationType: 'messenger',
    isEnabled,
    sealedSecrets,
    revision,
    ...given.account,
  };
}

/** Announces an integration, and waits until the service has received it. */
export async function save(services: WebhooksServices, integration: Integration): Promise<Integration> {
  await services.harness.publish(integrationSaved, await stateOf(services, integration));
  await services.harness.settled('webhooks', 'tenancy');
  return integration;
}

export async function remove({ harness }: WebhooksServices, integration: Integration): Promise<void> {
  const { tenantId, integrationId, botId, revision } = integration;
  await harness.publish(integrationDeleted, { tenantId, integrationId, botId, revision: revision + 1 });
  await harness.settled('webhooks', 'tenancy');
}

/** Waits until the webhook is registered with this very secret, and the service knows it. */
export async function registered(
  services: WebhooksServices,
  { botToken, integrationId, secret }: Integration,
) {
  await eventually('the webhook is registered', async () => {
    const [row] = await services.harness.asOwner<{ isdone: boolean }>(
      `select registration_due_at is null and registered_fingerprint is not null as isdone
       from webhooks.endpoints where integration_id = $1`,
      [integrationId],
    );
    return row?.isdone && (services.messenger.bot(botToken).webhook?.secretToken ?? '') === secret;
  });
}

/** For faults of the messenger: calls with the integration's own token. */
export const callsOfBot =
  ({ botToken }: Integration): CallFilter =>
  ({ path }) =>
    path.includes(botToken);

export const neutralHeader = 'x-messenger-bot-api-secret-token';
export const platformHeader = 'x-telegram-bot-api-secret-token';

/** Posts an update as the gateway passes it on. */
export function post(
  service: TestService,
  { botId, secret }: Pick<Integration, 'botId' | 'secret'>,
  body: unknown,
  headers: Record<string, string> = { [platformHeader]: secret },
) {
  return service.call('POST', `/webhooks/messenger/${botId}`, { as: anonymous, body, headers });
}

/** A person's message in a private chat; its `update_id` is a new one unless it is given. */
export function newUpdate(chatId: number, text = 'Hello', updateId = randomInt(1, 2 ** 40)) {
  return {
    update_id: updateId,
    message: {
      message_id: updateId,
      from: { id: chatId, is_bot: false, first_name: 'Anna' },
      chat: { id: chatId, type: 'private', first_name: 'Anna' },
      date: 1_795_200_000,
      text,
    },
  };
}

/** Everything of an event's type that was published, by whichever instance, each stream in its order. */
export async function eventsOf<E extends EventType>(harness: ServiceHarness, event: E): Promise<DataOf<E>[]> {
  const streams = (await harness.busesAs(event.owner)).map((bus) => eventsOn(bus, event));
  return (await Promise.all(streams)).flat();
}

async function eventsOn<E extends EventType>(bus: Bus, event: E): Promise<DataOf<E>[]> {
  const { manager } = bus.live();
  const stream = bus.names.stream(event.owner);
  const { state } = await manager.streams.info(stream);
  const events: DataOf<E>[] = [];
  for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
    const message = await manager.streams.getMessage(stream, { seq });
    if (message && bus.names.eventNameOf(message.subject) === event.name)
      events.push(event.schema.parse(message.json()) as DataOf<E>);
  }
  return events;
}

/** Resolves when everything that the service has committed is on the bus. */
export async function publishedAll({ harness }: WebhooksServices): Promise<void> {
  await eventually('everything is published', async () => {
    const waiting = await harness.asOwner('select from webhooks.outbox where published_at is null limit 1');
    return waiting.length === 0;
  });
}
