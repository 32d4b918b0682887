import { registrationChanged } from '@botyard/contracts/events/webhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  createBot,
  createIntegration,
  openTenancyServices,
  type TenancyServices,
} from '../../tenancy-services.ts';

let services: TenancyServices;
let botId: string;
let integrationId: string;

beforeAll(async () => {
  services = await openTenancyServices();
});

beforeEach(async () => {
  botId = await createBot(services, services.acme);
  integrationId = await createIntegration(services, services.acme, botId);
});

afterAll(() => services?.close());

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

async function report(change: { state: 'pending' | 'registered' | 'failed'; [field: string]: unknown }) {
  const { harness, acme } = services;
  const data = { tenantId: acme.tenantId, integrationId, revision: 1, checkedAt: at(1), ...change };
  await harness.publish(registrationChanged, registrationChanged.schema.parse(data) as never);
  await harness.settled('tenancy', 'webhooks');
}

async function registration() {
  const { tenancy, acme } = services;
  const path = `/api/bots/${acme.tenantId}/${botId}/integrations/${integrationId}`;
  return (await tenancy.call('GET', path, { as: acme.admin })).body.registration;
}

test("the platform's report about a webhook is readable on the integration", async () => {
  await report({ state: 'failed', lastError: 'Bad Request: bad webhook', pendingUpdates: 3 });
  expect(await registration()).toEqual({
    state: 'failed',
    lastError: 'Bad Request: bad webhook',
    pendingUpdates: 3,
    checkedAt: at(1),
  });
  await report({ state: 'registered', pendingUpdates: 0, checkedAt: at(2) });
  expect(await registration()).toEqual({ state: 'registered', pendingUpdates: 0, checkedAt: at(2) });
});

test('polling of messages is shown for as long as it lasts', async () => {
  await report({ state: 'registered', mode: 'polling' });
  expect(await registration()).toMatchObject({ state: 'registered', mode: 'polling' });
  await report({ state: 'registered', checkedAt: at(2) });
  expect(await registration()).not.toHaveProperty('mode');
});

test('an older report that arrives late changes nothing', async () => {
  await report({ state: 'registered', checkedAt: at(5) });
  await report({ state: 'failed', lastError: 'late', checkedAt: at(4) });
  expect(await registration()).toEqual({ state: 'registered', checkedAt: at(5) });
});

test('a report about another revision changes nothing', async () => {
  const { tenancy, acme } = services;
  const path = `/api/bots/${acme.tenantId}/${botId}/integrations/${integrationId}`;
  await tenancy.call('PUT', path, { as: acme.admin, body: { enabled: false } });
  await report({ state: 'registered', revision: 1 });
  expect(await registration()).toEqual({ state: 'pending' });
  await report({ state: 'registered', revision: 2 });
  expect(await registration()).toMatchObject({ state: 'registered' });
});

test("a report in another tenant's name changes nothing", async () => {
  await report({ state: 'registered', tenantId: services.other.tenantId });
  expect(await registration()).toEqual({ state: 'pending' });
});

test('a mailbox waits for its first delivery; its ability to send is shown separately', async () => {
  const { tenancy, acme } = services;
  const path = `/api/bots/${acme.tenantId}/${botId}/integrations`;
  const credentials = { address: `s-${botId}@bots.example`, apiKey: 'key-0123456789' };
  const body = { integrationType: 'email', credentials };
  const created = await tenancy.call('POST', path, { as: acme.admin, body });
  integrationId = created.body.integrationId;
  expect(created.body.registration).toEqual({ state: 'awaiting_first_delivery' });
  await report({ state: 'registered' });
  expect(await registration()).toEqual({ state: 'registered', firstDeliveryAt: at(1) });
  await tenancy.call('PUT', `${path}/${integrationId}`, { as: acme.admin, body: { enabled: false } });
  expect(await registration()).toEqual({ state: 'registered', firstDeliveryAt: at(1) });
  const moved = { credentials: { address: `m-${botId}@bots.example` } };
  await tenancy.call('PUT', `${path}/${integrationId}`, { as: acme.admin, body: moved });
  expect(await registration()).toEqual({ state: 'awaiting_first_delivery' });
});

test('whatever the platform, an account whose webhook the tenant sets up waits for its first delivery', async () => {
  const { tenancy, acme } = services;
  const path = `/api/bots/${acme.tenantId}/${botId}/integrations`;
  const slack = (name: string) => ({ botToken: `${name}-${botId}`, signingSecret: 'a-signing-secret' });
  const create = (body: object) => tenancy.call('POST', path, { as: acme.admin, body });
  for (const body of [
    { integrationType: 'webchat', credentials: {} },
    { integrationType: 'slack', credentials: slack('one') },
  ]) {
    const created = await create(body);
    integrationId = created.body.integrationId;
    expect(created.body.registration).toEqual({ state: 'awaiting_first_delivery' });
    await report({ state: 'registered' });
    expect(await registration()).toEqual({ state: 'registered', firstDeliveryAt: at(1) });
  }
  const moved = { credentials: slack('two') };
  await tenancy.call('PUT', `${path}/${integrationId}`, { as: acme.admin, body: moved });
  expect(await registration()).toEqual({ state: 'awaiting_first_delivery' });
});

test('the answer to tried credentials names what they lack, and the address to set up at the platform', async () => {
  const { tenancy, acme } = services;
  const path = `/api/bots/${acme.tenantId}/${botId}/integrations`;
  const credentials = { botToken: `warned-${botId}`, signingSecret: 'a-signing-secret' };
  const call = async (method: string, to: string, body?: object) =>
    (await tenancy.call(method, to, { as: acme.admin, body })).body;
  const warnings = ['the app lacks the scope files:read: files are not received'];
  const deliverTo = expect.stringMatching(new RegExp(`^https?://.*/webhooks/slack/${botId}$`));
  const created = await call('POST', path, { integrationType: 'slack', credentials });
  expect(created).toMatchObject({ warnings, deliverTo });
  const own = `${path}/${created.integrationId}`;
  expect(await call('PUT', own, { credentials })).toMatchObject({ warnings });
  expect(await call('PUT', own, { enabled: false })).not.toHaveProperty('warnings');
  expect(await call('GET', own)).not.toHaveProperty('warnings');
});

test("a change that doesn't concern the platform does not change the registration", async () => {
  const { tenancy, acme } = services;
  const path = `/api/bots/${acme.tenantId}/${botId}/integrations/${integrationId}`;
  const put = (body: object) => tenancy.call('PUT', path, { as: acme.admin, body });
  await report({ state: 'registered', pendingUpdates: 0 });
  const before = await registration();
  await put({ enabled: false });
  await put({ credentials: { botName: 'Another name' } });
  expect(await registration()).toEqual(before);
  await put({ settings: { messenger: { webhookSecretToken: 'another_secret' } } });
  expect((await registration()).state).toBe('pending');
});
