import { randomUUID } from 'node:crypto';
import { registrationChanged } from '@botyard/contracts/events/webhooks';
import { spokenLanguages } from '@botyard/contracts/http/bot-words';
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
  newUpdate,
  openWebhooksServices,
  post,
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
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services);
  await startWebhooks(services);
});

beforeEach(() => services.messenger.clearFaults());

afterAll(() => closeWebhooksServices(services));

const urlOf = ({ botId }: Integration) => `${webhookBaseUrl}/webhooks/messenger/${botId}`;

/** The calls that were made with a bot's token. */
const callsOf = ({ botToken }: Integration, ...operations: string[]) =>
  services.messenger.calls
    .filter(({ path, operation }) => path.includes(botToken) && operations.includes(operation))
    .map(({ operation }) => operation);

const webhookOf = ({ botToken }: Integration) => services.messenger.bot(botToken).webhook;

async function announced({ integrationId }: Integration, state: string) {
  return await eventually(`the registration is announced as ${state}`, async () => {
    const events = await eventsOf(services.harness, registrationChanged);
    return events.findLast((event) => event.integrationId === integrationId && event.state === state);
  });
}

async function rowOf({ integrationId }: Integration) {
  const [row] = await services.harness.asOwner<Record<string, unknown>>(
    'select * from webhooks.endpoints where integration_id = $1',
    [integrationId],
  );
  return row!;
}

const forgotten = (integration: Integration) =>
  eventually('the secrets are forgotten', async () => {
    const row = await rowOf(integration);
    return row.sealed_secrets === null && row.registration_due_at === null && row;
  });

async function registeredNew(): Promise<Integration> {
  const integration = await save(services, newIntegration(services));
  await registered(services, integration);
  return integration;
}

describe('created', () => {
  test('the webhook is read first and then set, with address, secret and the kinds of updates', async () => {
    const integration = await registeredNew();
    expect(callsOf(integration, 'getWebhookInfo', 'setWebhook')).toEqual(['getWebhookInfo', 'setWebhook']);
    const { messenger } = services;
    const [set] = messenger.calls.filter(
      ({ path, operation }) => path.includes(integration.botToken) && operation === 'setWebhook',
    );
    expect(set?.params).toMatchObject({
      url: urlOf(integration),
      secret_token: integration.secret,
      allowed_updates: expect.arrayContaining([
        'message',
        'edited_message',
        'callback_query',
        'my_chat_member',
      ]),
    });
    expect(messenger.bot(integration.botToken).commands.map(({ command }) => command)).toContain('start');
    const { commandsByLanguage } = messenger.bot(integration.botToken);
    expect(commandsByLanguage.de?.at(0)).toEqual({ command: 'start', description: 'Anfangen' });
    expect(Object.keys(commandsByLanguage).sort()).toEqual([...spokenLanguages].sort());
  });

  test('it is announced as registered, with the revision and the number of waiting updates', async () => {
    const integration = await registeredNew();
    expect(await announced(integration, 'registered')).toEqual({
      tenantId: integration.tenantId,
      integrationId: integration.integrationId,
      revision: 1,
      state: 'registered',
      pendingUpdates: 0,
      checkedAt: expect.any(String),
    });
  });
});

describe('updated', () => {
  test('with the same address and secret it is not set again', async () => {
    const integration = await registeredNew();
    const disabled = await save(services, { ...integration, isEnabled: false, revision: 2 });
    await eventually('the new revision is announced', async () => {
      const { revision } = await announced(disabled, 'registered');
      return revision === 2;
    });
    expect(callsOf(integration, 'setWebhook')).toEqual(['setWebhook']);
    expect(await rowOf(integration)).toMatchObject({ previous_sealed_secrets: null });
  });

  test('without a secret it is registered without one, and an update without one is accepted', async () => {
    const integration = await save(services, newIntegration(services, { secret: '' }));
    await registered(services, integration);
    const [set] = services.messenger.calls.filter(
      ({ path, operation }) => path.includes(integration.botToken) && operation === 'setWebhook',
    );
    expect(set?.params).not.toHaveProperty('secret_token');
    expect((await post(webhooks, integration, newUpdate(1), {})).status).toBe(200);
  });

  test('with another secret it is set again, although the address is the same', async () => {
    const integration = await registeredNew();
    const changed = await save(services, { ...integration, secret: `new-${randomUUID()}`, revision: 2 });
    await registered(services, changed);
    expect(webhookOf(changed)).toMatchObject({ url: urlOf(integration), secretToken: changed.secret });
  });

  test('with an address that was set elsewhere meanwhile it is set again', async () => {
    const integration = await registeredNew();
    webhookOf(integration)!.url = 'https://elsewhere.example.com';
    await save(services, { ...integration, revision: 2 });
    await eventually('it is set again', () => webhookOf(integration)?.url === urlOf(integration));
  });

  test('a change during a registration is registered after it, and never overtaken by it', async () => {
    const { messenger } = services;
    const first = newIntegration(services);
    const goOn = messenger.hold('setWebhook');
    await save(services, first);
    await messenger.calls.waitFor(
      ({ path, operation }) => path.includes(first.botToken) && operation === 'setWebhook',
    );
    const second = await save(services, { ...first, secret: `new-${randomUUID()}`, revision: 2 });
    goOn();
    await registered(services, second);
    expect(callsOf(first, 'setWebhook')).toEqual(['setWebhook', 'setWebhook']);
    expect((await post(webhooks, second, newUpdate(1))).status).toBe(200);
    expect((await post(webhooks, first, newUpdate(1))).status).toBe(401);
  });

  test("with another bot's token the bot before delivers here no longer", async () => {
    const before = await registeredNew();
    const after = newIntegration(services, { ...before, botToken: newToken(), revision: 2 });
    await save(services, after);
    await registered(services, after);
    expect(webhookOf(before)).toBeUndefined();
    expect(webhookOf(after)?.url).toBe(urlOf(after));
  });
});

describe('deleted', () => {
  test('the webhook is removed from the platform, and then nothing secret is kept', async () => {
    const integration = await registeredNew();
    await remove(services, integration);
    const row = await forgotten(integration);
    expect(row).toMatchObject({
      sealed_secrets: null,
      previous_sealed_secrets: null,
      registered_fingerprint: null,
      deleted_at: expect.any(Date),
    });
    expect(callsOf(integration, 'deleteWebhook')).toEqual(['deleteWebhook']);
    expect(webhookOf(integration)).toBeUndefined();
  });

  test('a platform that does not answer is asked again, and the token kept until then', async () => {
    const integration = await registeredNew();
    services.messenger.failNext('deleteWebhook', { on: callsOfBot(integration), status: 500, times: 1000 });
    await remove(services, integration);
    await eventually('the first try failed', () => callsOf(integration, 'deleteWebhook').length > 0);
    expect((await rowOf(integration)).sealed_secrets).not.toBeNull();
    services.messenger.clearFaults();
    await forgotten(integration);
    expect(webhookOf(integration)).toBeUndefined();
  });

  test('a token that was revoked is forgotten', async () => {
    const integration = await registeredNew();
    services.messenger.removeBot(integration.botToken);
    await remove(services, integration);
    await forgotten(integration);
  });

  test('during its registration, the webhook is removed in the end', async () => {
    const { messenger } = services;
    const integration = newIntegration(services);
    const goOn = messenger.hold('setWebhook');
    await save(services, integration);
    await messenger.calls.waitFor(
      ({ path, operation }) => path.includes(integration.botToken) && operation === 'setWebhook',
    );
    await remove(services, integration);
    goOn();
    await forgotten(integration);
    expect(webhookOf(integration)).toBeUndefined();
  });

  test('and created again with the same token for the same bot, the webhook is registered in the end', async () => {
    const { messenger } = services;
    const first = await registeredNew();
    const goOn = messenger.hold('deleteWebhook');
    await remove(services, first);
    const second = newIntegration(services, {
      ...first,
      integrationId: randomUUID(),
      secret: `s-${randomUUID()}`,
    });
    await save(services, second);
    goOn();
    await forgotten(first);
    await registered(services, second);
    expect(webhookOf(second)).toMatchObject({ url: urlOf(second), secretToken: second.secret });
  });

  test('a token that delivers to another bot by now is left alone', async () => {
    const first = await registeredNew();
    const second = newIntegration(services, { botToken: first.botToken });
    await save(services, second);
    await registered(services, second);
    await remove(services, first);
    await forgotten(first);
    expect(webhookOf(second)?.url).toBe(urlOf(second));
  });
});

describe('the platform refuses', () => {
  test('429: it waits as long as it was asked to, and then registers', async () => {
    const integration = newIntegration(services);
    services.messenger.failNext('setWebhook', { on: callsOfBot(integration), status: 429, retryAfter: 2 });
    await save(services, integration);
    expect(await announced(integration, 'pending')).toMatchObject({ lastError: 'the platform asks to wait' });
    await registered(services, integration);
    const [first, second] = services.messenger.calls.filter(
      ({ path, operation }) => path.includes(integration.botToken) && operation === 'setWebhook',
    );
    expect(second!.receivedAt - first!.receivedAt).toBeGreaterThanOrEqual(2000);
    await announced(integration, 'registered');
  });

  test('the address: the state is failed with the reason, without the token, and it is not tried again', async () => {
    const integration = newIntegration(services);
    const reason = 'Bad Request: bad webhook: An HTTPS URL must be provided for webhook';
    services.messenger.failNext('setWebhook', {
      on: callsOfBot(integration),
      status: 400,
      description: `${reason} ${integration.botToken}`,
    });
    await save(services, integration);
    const { lastError } = await announced(integration, 'failed');
    expect(lastError).toContain(reason);
    expect(lastError).not.toContain(integration.botToken.split(':')[1]);
    expect(await rowOf(integration)).toMatchObject({
      registration_due_at: null,
      registration_lease_until: null,
    });
    expect((await post(webhooks, integration, newUpdate(1))).status).toBe(200);
  });

  test('a revoked token: failed', async () => {
    const integration = newIntegration(services);
    services.messenger.fail('getWebhookInfo', {
      on: callsOfBot(integration),
      status: 401,
      body: { ok: false, error_code: 401, description: 'Unauthorized' },
    });
    await save(services, integration);
    expect(await announced(integration, 'failed')).toMatchObject({ lastError: 'Unauthorized' });
  });

  test('a refused new secret leaves the previous one valid', async () => {
    const integration = await registeredNew();
    services.messenger.failNext('setWebhook', {
      on: callsOfBot(integration),
      status: 400,
      description: 'Bad Request: secret token is too long',
    });
    await save(services, { ...integration, secret: 'x'.repeat(300), revision: 2 });
    await announced(integration, 'failed');
    expect((await post(webhooks, integration, newUpdate(1))).status).toBe(200);
  });

  test('a temporary error is retried', async () => {
    const integration = newIntegration(services);
    services.messenger.failNext('getWebhookInfo', { on: callsOfBot(integration), status: 502 });
    await save(services, integration);
    await announced(integration, 'pending');
    await registered(services, integration);
  });
});

test("credentials that can't be opened: the state shows it", async () => {
  const integration = await registeredNew();
  await services.harness.asOwner(
    `update webhooks.endpoints set sealed_secrets = (select sealed_secrets from webhooks.endpoints
       where integration_id <> $1 and sealed_secrets is not null limit 1), registration_due_at = now()
     where integration_id = $1`,
    [integration.integrationId],
  );
  expect(await announced(integration, 'failed')).toMatchObject({
    lastError: 'the stored credentials can not be opened',
  });
});

test('no secret and no token is in any log line or event', async () => {
  const integration = await registeredNew();
  const events = await eventsOf(services.harness, registrationChanged);
  const kept = JSON.stringify([services.harness.logLines, events]);
  expect(kept).not.toContain(integration.secret);
  expect(kept).not.toContain(integration.botToken.split(':')[1]);
});
