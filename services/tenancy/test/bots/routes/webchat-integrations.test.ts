import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createBot, openTenancyServices, type TenancyServices } from '../../tenancy-services.ts';

let services: TenancyServices;
let botId: string;

beforeAll(async () => {
  services = await openTenancyServices();
});
beforeEach(async () => {
  botId = await createBot(services, services.acme);
});
afterAll(() => services?.close());

const call = (method: string, end = '', body?: unknown) =>
  services.tenancy.call(method, `/api/bots/${services.acme.tenantId}/${botId}/integrations${end}`, {
    as: services.acme.admin,
    body,
  });

const theme = { color: '#0f766e', position: 'left' };
const words = { de: { title: 'Hilfe', greeting: 'Guten Tag!', suggestions: ['Wo ist meine Bestellung?'] } };
const allowedOrigins = ['https://shop.example'];
const identitySecret = 'c3ab8ff13720e8ad9047dd39466b3c89';
const webchat = { allowedOrigins, identitySecret, theme, words };

test('a web chat needs no credentials, and shows its look and words but not its secret', async () => {
  const created = await call('POST', '', {
    integrationType: 'webchat',
    credentials: {},
    settings: { webchat },
  });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ integrationType: 'webchat', enabled: true });
  expect(created.body.settings.webchat).toMatchObject({ allowedOrigins, theme, words });
  expect(created.text).not.toContain(identitySecret);
});

test('a change of the words keeps the rest', async () => {
  const { body } = await call('POST', '', {
    integrationType: 'webchat',
    credentials: {},
    settings: { webchat },
  });
  const english = { en: { title: 'Help' } };
  const changed = await call('PUT', `/${body.integrationId}`, { settings: { webchat: { words: english } } });
  expect(changed.status).toBe(200);
  expect(changed.body.settings.webchat).toMatchObject({ allowedOrigins, theme });
  expect(changed.body.settings.webchat.words).toEqual(english);
});

test('hours are shown, checked, and removed with null', async () => {
  const hours = { timeZone: 'Europe/Berlin', days: { monday: [{ from: '09:00', to: '17:30' }] } };
  const { body } = await call('POST', '', {
    integrationType: 'webchat',
    credentials: {},
    settings: { webchat: { ...webchat, hours } },
  });
  expect(body.settings.webchat.hours).toEqual(hours);
  const put = (changed: unknown) =>
    call('PUT', `/${body.integrationId}`, { settings: { webchat: { hours: changed } } });
  const refused = await put({ ...hours, timeZone: 'Mars/Olympus' });
  expect([refused.status, refused.body.issues[0].path]).toEqual([400, 'settings.webchat.hours.timeZone']);
  const removed = await put(null);
  expect(removed.status).toBe(200);
  expect(removed.body.settings.webchat).toMatchObject({ theme, words });
  expect(removed.body.settings.webchat.hours).toBeUndefined();
});

test.each([
  ['*'],
  ['https://*.shop.example'],
  ['https://shop.example/path'],
  ['null'],
  ['javascript:alert(1)'],
])('%s is no origin: 400', async (origin) => {
  const settings = { webchat: { allowedOrigins: [origin] } };
  const answer = await call('POST', '', { integrationType: 'webchat', credentials: {}, settings });
  expect([answer.status, answer.body.issues[0].path]).toEqual([400, 'settings.webchat.allowedOrigins.0']);
});
