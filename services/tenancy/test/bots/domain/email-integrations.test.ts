import { findIntegration, integrationBinding, integrationSaved } from '@botyard/contracts/events/tenancy';
import { EmailSecrets } from '@botyard/contracts/platforms/email';
import { ask } from '@botyard/shared/bus/requests';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  createBot,
  emitted,
  newToken,
  openTenancyServices,
  type TenancyServices,
} from '../../tenancy-services.ts';

let services: TenancyServices;
let botId: string;
let addresses = 0;

beforeAll(async () => {
  services = await openTenancyServices();
});
beforeEach(async () => {
  botId = await createBot(services, services.acme);
});
afterAll(() => services?.close());

const newAddress = () => `support${++addresses}@bots.example`;

function call(method: string, end = '', body?: unknown, people = services.acme, bot = botId) {
  const path = `/api/bots/${people.tenantId}/${bot}/integrations${end}`;
  return services.tenancy.call(method, path, { as: people.admin, body });
}

const emailBody = (address: string, credentials = {}, email = {}) => ({
  integrationType: 'email',
  credentials: { address, ...credentials },
  settings: { email },
});

async function secretsOf(integrationId: string): Promise<EmailSecrets> {
  const states = await emitted(services.harness, integrationSaved);
  const state = states.filter((event) => event.integrationId === integrationId).at(-1)!;
  const opened = await Keyring.parse(services.harness.secretsKeys).open(
    state.sealedSecrets,
    integrationBinding(state),
  );
  return EmailSecrets.parse(JSON.parse(opened.reveal()));
}

test('S-02: a mailbox shows its address, masks its secrets, and names the address to deliver its mail to', async () => {
  const address = newAddress();
  const secrets = [{ apiKey: 'key-0123456789abcdef' }, { webhookSigningKey: 'signing-0123456789' }] as const;
  const created = await call('POST', '', emailBody(address.toUpperCase(), ...secrets));
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({
    integrationType: 'email',
    enabled: true,
    maskedCredentials: { address, apiKey: '…cdef' },
    settings: { email: { senderPolicy: 'authorized', webhookSigningKey: '…6789' } },
    deliverTo: `https://hooks.example.com/webhooks/email/${botId}`,
    registration: { state: 'awaiting_first_delivery' },
  });
  expect(created.text).not.toMatch(/key-0123456789|signing-0/);
  const { integrationId } = created.body;
  expect((await call('GET', `/${integrationId}`)).body).toEqual(created.body);
  expect(await secretsOf(integrationId)).toEqual({
    apiKey: 'key-0123456789abcdef',
    webhookSigningKey: 'signing-0123456789',
    senderPolicy: 'authorized',
  });
});

test('a change keeps omitted fields, and ignores those of another type', async () => {
  const created = await call('POST', '', emailBody(newAddress(), { apiKey: 'key-0123456789abcdef' }));
  const { integrationId } = created.body;
  const moved = newAddress();
  const changed = await call('PUT', `/${integrationId}`, {
    enabled: false,
    credentials: { address: moved, botToken: newToken(services.messenger) },
    settings: { email: { senderPolicy: 'open' }, messenger: { webhookSecretToken: 'abc' } },
  });
  expect(changed.body).toMatchObject({
    enabled: false,
    maskedCredentials: { address: moved, apiKey: '…cdef' },
    settings: { email: { senderPolicy: 'open' } },
    registration: { state: 'awaiting_first_delivery' },
  });
  expect(await secretsOf(integrationId)).toEqual({ apiKey: 'key-0123456789abcdef', senderPolicy: 'open' });
});

test('the type of an integration is fixed: the same type can be sent back, another one is 400', async () => {
  const { body } = await call('POST', '', emailBody(newAddress()));
  const put = (integrationType: string) => call('PUT', `/${body.integrationId}`, { integrationType });
  expect((await put('email')).status).toBe(200);
  const refused = await put('messenger');
  expect([refused.status, refused.body.issues]).toMatchObject([400, [{ path: 'integrationType' }]]);
});

test('an address serves one integration across all tenants; a deleted one releases it', async () => {
  const address = newAddress();
  const { body } = await call('POST', '', emailBody(address));
  const theirs = await createBot(services, services.other);
  const refused = await call('POST', '', emailBody(address), services.other, theirs);
  expect([refused.status, refused.body]).toEqual([409, { error: 'this address is already in use' }]);
  expect((await call('DELETE', `/${body.integrationId}`)).status).toBe(204);
  expect((await call('POST', '', emailBody(address), services.other, theirs)).status).toBe(201);
});

test('a bot has a messenger and a mailbox, and not two of either', async () => {
  const credentials = { botToken: newToken(services.messenger), botName: 'Support' };
  expect((await call('POST', '', { integrationType: 'messenger', credentials })).status).toBe(201);
  expect((await call('POST', '', emailBody(newAddress()))).status).toBe(201);
  const second = await call('POST', '', emailBody(newAddress()));
  expect([second.status, second.body.error]).toEqual([
    409,
    'the bot already has an integration of this type',
  ]);
});

test.each([
  ['no address', {}, 'credentials.address'],
  ['an address with a plus', { address: 'a+b@bots.example' }, 'credentials.address'],
  ['a line break in the address', { address: 'a@bots.example\nBcc: x@y.example' }, 'credentials.address'],
  ['a line break in the key', { address: 'a@bots.example', apiKey: 'key\r\nx' }, 'credentials.apiKey'],
])('%s is 400 that names the field', async (_what, credentials, path) => {
  const { status, body } = await call('POST', '', { integrationType: 'email', credentials });
  expect([status, body.issues]).toMatchObject([400, [{ path }]]);
});

test('the webhooks service finds it by bot and by address', async () => {
  const address = newAddress();
  const { body } = await call('POST', '', emailBody(address));
  const bus = await services.harness.busAs('webhooks');
  for (const wanted of [{ botId, integrationType: 'email' as const }, { address }]) {
    const { integration } = await ask(bus, findIntegration, wanted);
    expect(integration).toMatchObject({ integrationId: body.integrationId, address, botId });
  }
  expect(await ask(bus, findIntegration, { address: 'nobody@bots.example' })).toEqual({ integration: null });
});
