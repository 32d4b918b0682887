import { randomUUID } from 'node:crypto';
import { integrationBinding, integrationDeleted, integrationSaved } from '@botyard/contracts/events/tenancy';
import { MessengerSecrets } from '@botyard/contracts/platforms/messenger';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createBot,
  createIntegration,
  emitted,
  newToken,
  openTenancyServices,
  startTenancy,
  type TenancyServices,
} from '../../tenancy-services.ts';

let services: TenancyServices;
let botId: string;

beforeAll(async () => {
  services = await openTenancyServices();
});

beforeEach(async () => {
  services.messenger.clearFaults();
  botId = await createBot(services, services.acme);
});

afterAll(() => services?.close());

function call(method: string, end = '', body?: unknown, people = services.acme, bot = botId) {
  const path = `/api/bots/${people.tenantId}/${bot}/integrations${end}`;
  return services.tenancy.call(method, path, { as: people.admin, body });
}

const messengerBody = (botToken: string, more: Record<string, unknown> = {}) => ({
  integrationType: 'messenger',
  credentials: { botToken, botName: 'Support' },
  ...more,
});

const stored = async () => (await services.harness.asOwner('select from tenancy.integrations')).length;

const eventsOf = async (integrationId: string) => ({
  saved: (await emitted(services.harness, integrationSaved)).filter((e) => e.integrationId === integrationId),
  deleted: (await emitted(services.harness, integrationDeleted)).filter(
    (event) => event.integrationId === integrationId,
  ),
});

/** Opens the sealed part of an event, like the webhooks service. */
async function secretsOf(integrationId: string): Promise<MessengerSecrets> {
  const state = (await eventsOf(integrationId)).saved.at(-1)!;
  const keyring = Keyring.parse(services.harness.secretsKeys);
  const opened = await keyring.open(state.sealedSecrets, integrationBinding(state));
  return MessengerSecrets.parse(JSON.parse(opened.reveal()));
}

describe('connecting a bot', () => {
  test('answers 201 with masked credentials, a secret made here, and a pending registration', async () => {
    const token = newToken(services.messenger);
    const { status, body } = await call('POST', '', messengerBody(token));
    expect(status).toBe(201);
    expect(body).toEqual({
      integrationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tenantId: services.acme.tenantId,
      botId,
      integrationType: 'messenger',
      enabled: true,
      maskedCredentials: { botToken: `…${token.slice(-4)}`, botName: 'Support' },
      settings: {
        messenger: { webhookSecretToken: expect.stringMatching(/^….{4}$/), lostTopic: 'general' },
      },
      registration: { state: 'pending' },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await call('GET', `/${body.integrationId}`)).body).toEqual(body);
    expect((await call('GET')).body).toEqual([body]);
    const secrets = await secretsOf(body.integrationId);
    const bot = services.messenger.bot(token);
    expect(secrets).toMatchObject({
      botToken: token,
      botUsername: bot.username,
      platformBotId: String(bot.id),
    });
    expect(secrets.webhookSecretToken).toMatch(/^[\w-]{43}$/);
  });

  test('keeps the secret and the state that are given', async () => {
    const settings = { messenger: { webhookSecretToken: 'given_secret-42' } };
    const body = messengerBody(newToken(services.messenger), { settings, enabled: false });
    const answer = await call('POST', '', body);
    expect(answer.body).toMatchObject({
      enabled: false,
      settings: { messenger: { webhookSecretToken: '…t-42', lostTopic: 'general' } },
    });
    expect((await secretsOf(answer.body.integrationId)).webhookSecretToken).toBe('given_secret-42');
    expect((await eventsOf(answer.body.integrationId)).saved).toMatchObject([
      { isEnabled: false, revision: 1 },
    ]);
  });

  test.each([
    ['messenger', () => ({ botToken: newToken(services.messenger), botName: 'Half of \ud83d' })],
    ['email', () => ({ address: 'half-\ud83d@mail.example', apiKey: 'key-0123456789' })],
  ])(
    'half a character in the name of a bot at its platform is replaced (%s)',
    async (integrationType, make) => {
      const { botToken: _token, apiKey: _key, ...shown } = make() as Record<string, string>;
      const answer = await call('POST', '', { integrationType, credentials: make() });
      const [[name, text] = ['', '']] = Object.entries(shown);
      expect([answer.status, answer.body.maskedCredentials?.[name]]).toEqual([201, text.toWellFormed()]);
    },
  );

  test('stores no secret if it is null, and a change adds or removes one', async () => {
    const none = { messenger: { webhookSecretToken: null, lostTopic: 'general' } };
    const created = await call('POST', '', messengerBody(newToken(services.messenger), { settings: none }));
    expect(created).toMatchObject({ status: 201, body: { settings: none } });
    const { integrationId } = created.body;
    expect((await secretsOf(integrationId)).webhookSecretToken).toBe('');
    const settings = { messenger: { webhookSecretToken: 'given_secret-42' } };
    expect((await call('PUT', `/${integrationId}`, { settings })).body.settings.messenger).toEqual({
      webhookSecretToken: '…t-42',
      lostTopic: 'general',
    });
    expect((await call('PUT', `/${integrationId}`, { enabled: true })).body.settings.messenger).toEqual({
      webhookSecretToken: '…t-42',
      lostTopic: 'general',
    });
    expect((await call('PUT', `/${integrationId}`, { settings: none })).body.settings).toEqual(none);
    expect((await secretsOf(integrationId)).webhookSecretToken).toBe('');
  });

  test('W-03: in production no secret is 400, for a new integration and for one that has a secret', async () => {
    const production = await startTenancy(services, services.harness.namespace, { NODE_ENV: 'production' });
    const settings = { messenger: { webhookSecretToken: null } };
    const { body } = await call('POST', '', messengerBody(newToken(services.messenger)));
    const path = `/api/bots/${services.acme.tenantId}/${botId}/integrations`;
    const as = services.acme.admin;
    const before = await stored();
    const refusals = [
      await production.call('POST', path, {
        as,
        body: messengerBody(newToken(services.messenger), { settings }),
      }),
      await production.call('PUT', `${path}/${body.integrationId}`, { as, body: { settings } }),
    ];
    for (const { status, body: refusal } of refusals) {
      expect(status).toBe(400);
      expect(refusal.issues).toMatchObject([{ path: 'settings.messenger.webhookSecretToken' }]);
    }
    expect(await stored()).toBe(before);
    await production.stop();
  });

  test('shows nothing at all of a short secret', async () => {
    const settings = { messenger: { webhookSecretToken: 'tiny' } };
    const { body } = await call('POST', '', messengerBody(newToken(services.messenger), { settings }));
    expect(body.settings).toEqual({ messenger: { webhookSecretToken: '…', lostTopic: 'general' } });
  });

  test.each([
    '1:unknown-to-the-platform-0123456789',
    'no token at all',
    '1:../../getMe?x=',
    `${'9'.repeat(100)}:x`,
    '🦄',
  ])('refuses the token %j with 422, and nothing is stored', async (token) => {
    const before = await stored();
    const answer = await call('POST', '', messengerBody(token));
    expect(answer.status).toBe(422);
    expect(answer.text).not.toContain(token);
    expect(await stored()).toBe(before);
  });

  test.each([
    ['gives no answer', { cut: 'before' }],
    ['is out of order', { status: 502, body: '<html>' }],
    ['says nothing of use', { status: 200, body: { ok: true } }],
    ['asks for patience', { status: 429, body: { ok: false, parameters: { retry_after: 3 } } }],
  ] as const)('answers 503 and stores nothing while the platform %s', async (_what, fault) => {
    const before = await stored();
    services.messenger.fail('getMe', fault);
    const answer = await call('POST', '', messengerBody(newToken(services.messenger)));
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await stored()).toBe(before);
  });

  test('answers 409 for a token that serves another integration, without telling whose', async () => {
    const { acme, other } = services;
    const token = newToken(services.messenger);
    expect((await call('POST', '', messengerBody(token))).status).toBe(201);
    const [sameTenant, otherTenant] = [await createBot(services, acme), await createBot(services, other)];
    const answers = [
      await call('POST', '', messengerBody(token), acme, sameTenant),
      await call('POST', '', messengerBody(token), other, otherTenant),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(409);
      expect(answer.body).toEqual({ error: 'this bot token is already in use' });
    }
  });

  test('answers 409 for a second one of a type', async () => {
    await createIntegration(services, services.acme, botId);
    const answer = await call('POST', '', messengerBody(newToken(services.messenger)));
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual({
      error: 'the bot already has an integration of this type',
    });
  });

  test('stores a token once, even with two simultaneous requests', async () => {
    const token = newToken(services.messenger);
    const bots = await Promise.all([1, 2, 3].map(() => createBot(services, services.acme)));
    const answers = await Promise.all(
      bots.map((bot) => call('POST', '', messengerBody(token), services.acme, bot)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  test.each([
    ['no credentials', { credentials: undefined }, 'credentials'],
    ['another type', { integrationType: 'pigeon' }, 'integrationType'],
    ['no name', { credentials: { botToken: '1:a' } }, 'credentials.botName'],
    [
      'a secret that the platform would refuse',
      { settings: { messenger: { webhookSecretToken: 'a b' } } },
      'settings.messenger.webhookSecretToken',
    ],
  ])('refuses %s with 400 that names the field', async (_what, change, path) => {
    const answer = await call('POST', '', { ...messengerBody('1:abc'), ...change });
    expect(answer.status).toBe(400);
    expect(answer.body.issues).toMatchObject([{ path }]);
  });

  test('ignores the tenant, bot and identifier in the body, and refuses other unknown fields', async () => {
    const ofTheServer = {
      revision: 9,
      registration: { state: 'registered' },
      maskedCredentials: { botToken: 'x' },
    };
    const refused = await call('POST', '', messengerBody(newToken(services.messenger), ofTheServer));
    expect(refused.status).toBe(400);
    expect(refused.body.issues).toMatchObject(
      Object.keys(ofTheServer).map((path) => ({
        path,
        message: expect.stringMatching(/^unrecognized field/),
      })),
    );
    const claimed = {
      tenantId: services.other.tenantId,
      botId: randomUUID(),
      integrationId: randomUUID(),
    };
    const { status, body } = await call('POST', '', messengerBody(newToken(services.messenger), claimed));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      tenantId: services.acme.tenantId,
      botId,
      registration: { state: 'pending' },
    });
    expect(body.integrationId).not.toBe(claimed.integrationId);
    const updated = await call('PUT', `/${body.integrationId}`, claimed);
    expect(updated.body).toMatchObject({ integrationId: body.integrationId, botId });
    expect((await eventsOf(body.integrationId)).saved.map(({ revision }) => revision)).toEqual([1, 2]);
  });
});

describe('changing a connection', () => {
  test('keeps every field that is absent', async () => {
    const token = newToken(services.messenger);
    const settings = { messenger: { webhookSecretToken: 'the_first_secret' } };
    const { body: created } = await call('POST', '', messengerBody(token, { settings }));
    const end = `/${created.integrationId}`;
    const renamed = await call('PUT', end, { credentials: { botName: 'Sales' } });
    expect(renamed.body.maskedCredentials).toEqual({ botToken: `…${token.slice(-4)}`, botName: 'Sales' });
    const disabled = await call('PUT', end, { enabled: false });
    expect(disabled.body).toMatchObject({ enabled: false, maskedCredentials: { botName: 'Sales' } });
    expect((await call('PUT', end, {})).body.enabled).toBe(false);
    expect(await secretsOf(created.integrationId)).toMatchObject({
      botToken: token,
      webhookSecretToken: 'the_first_secret',
    });
  });

  test('a new secret is a new revision, announced sealed, and its registration is pending again', async () => {
    const integrationId = await createIntegration(services, services.acme, botId);
    await services.harness.asOwner(
      `update tenancy.integrations set registration_state = 'failed', registration_error = 'x' where integration_id = $1`,
      [integrationId],
    );
    const settings = { messenger: { webhookSecretToken: 'the_second_secret' } };
    const { body } = await call('PUT', `/${integrationId}`, { settings });
    expect(body.registration).toEqual({ state: 'pending' });
    const { saved } = await eventsOf(integrationId);
    expect(saved.map(({ revision }) => revision)).toEqual([1, 2]);
    expect((await secretsOf(integrationId)).webhookSecretToken).toBe('the_second_secret');
    expect(JSON.stringify(saved)).not.toContain('the_second_secret');
  });

  test('a new token is tried first, frees the old one, and is refused like at creation', async () => {
    const [first, second] = [newToken(services.messenger), newToken(services.messenger)];
    const { body } = await call('POST', '', messengerBody(first));
    const end = `/${body.integrationId}`;
    const update = (botToken: string) => call('PUT', end, { credentials: { botToken } });
    expect((await update('1:unknown')).status).toBe(422);
    services.messenger.fail('getMe', { cut: 'before' });
    expect((await update(second)).status).toBe(503);
    expect((await secretsOf(body.integrationId)).botToken).toBe(first);
    expect((await update(second)).status).toBe(200);
    expect(await secretsOf(body.integrationId)).toMatchObject({
      botToken: second,
      platformBotId: String(services.messenger.bot(second).id),
    });
    const otherBot = await createBot(services, services.acme);
    expect((await call('POST', '', messengerBody(first), services.acme, otherBot)).status).toBe(201);
    expect((await update(first)).status).toBe(409);
  });
});

describe('ending a connection', () => {
  test('is announced once with a later revision, and frees the token', async () => {
    const token = newToken(services.messenger);
    const { body } = await call('POST', '', messengerBody(token));
    expect((await call('DELETE', `/${body.integrationId}`)).status).toBe(204);
    expect((await call('DELETE', `/${body.integrationId}`)).status).toBe(404);
    expect((await call('GET', `/${body.integrationId}`)).status).toBe(404);
    expect((await eventsOf(body.integrationId)).deleted).toMatchObject([{ botId, revision: 2 }]);
    expect((await call('POST', '', messengerBody(token))).status).toBe(201);
  });

  test("deleting a bot announces the end of its integrations before the bot's own", async () => {
    const integrationId = await createIntegration(services, services.acme, botId);
    const { tenantId, admin } = services.acme;
    await services.tenancy.call('DELETE', `/api/bots/${tenantId}/${botId}`, { as: admin });
    expect((await eventsOf(integrationId)).deleted).toMatchObject([{ tenantId, botId, revision: 2 }]);
    const rows = await services.harness.asOwner(
      'select from tenancy.integrations where integration_id = $1',
      [integrationId],
    );
    expect(rows).toEqual([]);
  });

  test('a bot that is deleted while it is being connected leaves no unannounced integration', async () => {
    const { tenantId, admin } = services.acme;
    for (let round = 0; round < 10; round += 1) {
      const bot = await createBot(services, services.acme);
      const [connected, deleted] = await Promise.all([
        call('POST', '', messengerBody(newToken(services.messenger)), services.acme, bot),
        services.tenancy.call('DELETE', `/api/bots/${tenantId}/${bot}`, { as: admin }),
      ]);
      expect(deleted.status).toBe(204);
      expect([201, 404]).toContain(connected.status);
      if (connected.status === 201) {
        expect((await eventsOf(connected.body.integrationId)).deleted).toHaveLength(1);
      }
    }
    const orphans = await services.harness.asOwner(
      'select from tenancy.integrations i where not exists (select from tenancy.bots b where b.bot_id = i.bot_id)',
    );
    expect(orphans).toEqual([]);
  });
});
