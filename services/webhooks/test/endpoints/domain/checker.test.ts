import { checkEndpoint, listEndpointHealth } from '@botyard/contracts/events/webhook-requests';
import { registrationChanged } from '@botyard/contracts/events/webhooks';
import { ask } from '@botyard/shared/bus/requests';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  callsOfBot,
  closeWebhooksServices,
  eventsOf,
  type Integration,
  newIntegration,
  newToken,
  openWebhooksServices,
  registered,
  remove,
  save,
  startWebhooks,
  type WebhooksServices,
  webhookBaseUrl,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let webhooks: TestService;

beforeAll(async () => {
  services = await openWebhooksServices({ limitsWebhookRate: true });
  webhooks = await startWebhooks(services);
});
beforeEach(() => services.messenger.clearFaults());
afterAll(() => closeWebhooksServices(services));

const urlOf = ({ botId }: Integration, base = webhookBaseUrl) => `${base}/webhooks/messenger/${botId}`;
const webhookOf = ({ botToken }: Integration) => services.messenger.bot(botToken).webhook!;
const callsOf = ({ botToken }: Integration) =>
  services.messenger.calls.filter(({ path }) => path.includes(botToken));
const operationsOf = (integration: Integration) => callsOf(integration).map(({ operation }) => operation);

async function registeredNew(): Promise<Integration> {
  const integration = await save(services, newIntegration(services));
  await registered(services, integration);
  // The announcements of a check are recognized by their position after this one.
  await eventually('its registration is announced', async () =>
    (await eventsAbout(integration)).some(({ state }) => state === 'registered'),
  );
  return integration;
}

const tenancy = () => services.harness.busAs('tenancy');
const check = async ({ tenantId, integrationId }: Pick<Integration, 'tenantId' | 'integrationId'>) =>
  await ask(await tenancy(), checkEndpoint, { tenantId, integrationId });

async function healthOf({ tenantId, integrationId }: Integration) {
  const { endpoints } = await ask(await tenancy(), listEndpointHealth, {
    tenantId,
    integrationIds: [integrationId],
  });
  return endpoints[0];
}

const eventsAbout = async ({ integrationId }: Integration) =>
  (await eventsOf(services.harness, registrationChanged)).filter(
    (event) => event.integrationId === integrationId,
  );

/** The announcements of a check. */
async function checked(integration: Integration, during: () => unknown = () => undefined) {
  const before = (await eventsAbout(integration)).length;
  await during();
  await check(integration);
  return await eventually('the check is announced', async () => (await eventsAbout(integration))[before]);
}

const repairsOf = async (integration: Integration) => (await healthOf(integration))?.webhook;

describe('a webhook is set again', () => {
  test.each([
    ['address', (it: Integration) => Object.assign(webhookOf(it), { url: 'https://elsewhere.example/hook' })],
    [
      'removed',
      (it: Integration) => Object.assign(services.messenger.bot(it.botToken), { webhook: undefined }),
    ],
    [
      'secret',
      (it: Integration) => {
        const lastErrorMessage = 'Wrong response from the webhook: 401 Unauthorized';
        Object.assign(webhookOf(it), { secretToken: 'stale', lastErrorAt: Date.now(), lastErrorMessage });
      },
    ],
  ])('when the platform has it wrong: %s', async (reason, spoil) => {
    const integration = await registeredNew();
    expect(await checked(integration, () => spoil(integration))).toMatchObject({ state: 'registered' });
    expect(webhookOf(integration)).toMatchObject({
      url: urlOf(integration),
      secretToken: integration.secret,
    });
    expect(await repairsOf(integration)).toMatchObject({ repairs: 1, lastRepairReason: reason });
  });

  test('once for one refused delivery, which the platform reports repeatedly', async () => {
    const integration = await registeredNew();
    const refused = {
      lastErrorAt: Date.now(),
      lastErrorMessage: 'Wrong response from the webhook: 401 Unauthorized',
    };
    const spoil = () => Object.assign(webhookOf(integration), refused);
    await checked(integration, spoil);
    await checked(integration, spoil);
    expect(await repairsOf(integration)).toMatchObject({ repairs: 1 });
    Object.assign(refused, { lastErrorAt: Date.now() + 60_000 });
    await checked(integration, spoil);
    expect(await repairsOf(integration)).toMatchObject({ repairs: 2 });
  });

  test('when our own address has changed meanwhile, at the next start', async () => {
    const integration = await registeredNew();
    const moved = 'https://moved.example.com';
    await webhooks.stop();
    const elsewhere = await startWebhooks(services, { WEBHOOK_BASE_URL: moved });
    await eventually('the webhook has moved', () => webhookOf(integration).url === urlOf(integration, moved));
    await elsewhere.stop();
    webhooks = await startWebhooks(services);
    await eventually('it has moved back', () => webhookOf(integration).url === urlOf(integration));
    expect(await repairsOf(integration)).toMatchObject({ lastRepairReason: 'address' });
  });
});

describe('a check', () => {
  test('only reads a correct webhook, and reports pending updates and errors', async () => {
    const integration = await registeredNew();
    const before = callsOf(integration).length;
    const lastErrorMessage = 'Wrong response from the webhook: 503 Service Unavailable';
    Object.assign(webhookOf(integration), { lastErrorAt: Date.now(), lastErrorMessage });
    expect(await checked(integration)).toMatchObject({
      state: 'registered',
      pendingUpdates: 0,
      lastError: lastErrorMessage,
    });
    expect(operationsOf(integration).slice(before)).toEqual(['getWebhookInfo']);
    expect(await repairsOf(integration)).toMatchObject({ repairs: 0, lastRepairReason: null });
  });

  test('makes at most one call a second for a bot, for any number of requests', async () => {
    const integration = await registeredNew();
    const before = callsOf(integration).length;
    const begun = Date.now();
    for (let times = 0; times < 3; times += 1) {
      webhookOf(integration).url = 'https://elsewhere.example/hook';
      await checked(integration, () => Promise.all([1, 2, 3].map(() => check(integration))));
    }
    const at = callsOf(integration)
      .slice(before)
      .map(({ receivedAt }) => receivedAt);
    expect(at.length).toBeGreaterThanOrEqual(6);
    // From the beginning: how late a call arrives is up to the machine.
    expect(at.at(-1)! - begun).toBeGreaterThanOrEqual((at.length - 1) * 1000);
  });

  test('changes nothing without an answer, and is repeated', async () => {
    const integration = await registeredNew();
    const events = (await eventsAbout(integration)).length;
    services.messenger.failNext('getWebhookInfo', { on: callsOfBot(integration), status: 500 });
    const before = callsOf(integration).length;
    await check(integration);
    await eventually('the platform was asked', () => callsOf(integration).length > before);
    expect((await checked(integration)).state).toBe('registered');
    expect((await eventsAbout(integration)).length).toBe(events + 1);
  });

  test('reports a revoked token, and notices when it works again', async () => {
    const integration = await registeredNew();
    services.messenger.failNext('getWebhookInfo', {
      on: callsOfBot(integration),
      status: 401,
      description: 'Unauthorized',
    });
    expect(await checked(integration)).toMatchObject({ state: 'failed', lastError: 'Unauthorized' });
    expect(await checked(integration)).toMatchObject({ state: 'registered' });
  });

  test('is of nothing that is not there, or of another tenant', async () => {
    const [integration, other] = [await registeredNew(), await registeredNew()];
    expect(await check({ ...integration, tenantId: other.tenantId })).toEqual({ isKnown: false });
    await remove(services, integration);
    expect(await check(integration)).toEqual({ isKnown: false });
  });
});

test('every integration is checked automatically, at intervals', async () => {
  const own = await openWebhooksServices();
  try {
    await startWebhooks(own, { WEBHOOK_CHECK_EVERY_MS: '1000' });
    const integration = await save(own, newIntegration(own));
    await registered(own, integration);
    own.messenger.bot(integration.botToken).webhook = undefined;
    await eventually('it is set again', () => own.messenger.bot(integration.botToken).webhook?.url);
    const reads = () =>
      own.messenger.calls.filter(
        ({ path, operation }) => path.includes(integration.botToken) && operation === 'getWebhookInfo',
      );
    const before = reads().length;
    await eventually('it is asked about again', () => reads().length > before + 1);
  } finally {
    await closeWebhooksServices(own);
  }
});

test('a first registration that the platform refuses is tried again by a check', async () => {
  const integration = newIntegration(services);
  services.messenger.failNext('setWebhook', {
    on: callsOfBot(integration),
    status: 400,
    description: 'Bad Request: bad webhook',
  });
  await save(services, integration);
  await eventually('it has failed', async () =>
    (await eventsAbout(integration)).some(({ state }) => state === 'failed'),
  );
  expect(await checked(integration)).toMatchObject({ state: 'registered' });
  const { commands } = services.messenger.bot(integration.botToken);
  expect(commands.map(({ command }) => command)).toContain('start');
});

test('a replaced token whose registration was refused gets its menu with the check that registers it', async () => {
  const former = await registeredNew();
  const integration = { ...former, botToken: newToken(), revision: 2 };
  services.messenger.addBot({ token: integration.botToken });
  services.messenger.failNext('setWebhook', {
    on: callsOfBot(integration),
    status: 400,
    description: 'Bad Request: bad webhook',
  });
  await save(services, integration);
  await eventually('it has failed', async () =>
    (await eventsAbout(integration)).some(({ state }) => state === 'failed'),
  );
  expect(await checked(integration)).toMatchObject({ state: 'registered' });
  const { commands } = services.messenger.bot(integration.botToken);
  expect(commands.map(({ command }) => command)).toContain('start');
});
