import { randomUUID } from 'node:crypto';
import { integrationSaved } from '@botyard/contracts/events/tenancy';
import { Outbox } from '@botyard/shared/bus/outbox';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { eventually } from '@botyard/testing/eventually';
import { type FakeDns, startFakeDns } from '@botyard/testing/fake-dns';
import type { People } from '@botyard/testing/people';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTokenHash } from '../../../src/integrations/domain/token-hash.ts';
import { createDnsClient } from '../../../src/mail-domains/clients/dns.ts';
import { recheckDueDomains } from '../../../src/mail-domains/domain/rechecks.ts';
import {
  createBot,
  emitted,
  openTenancyServices,
  startTenancy,
  type TenancyServices,
} from '../../tenancy-services.ts';

let dns: FakeDns;
let services: TenancyServices;

beforeAll(async () => {
  dns = await startFakeDns();
  services = await openTenancyServices(() => ({ DNS_SERVERS: dns.address }));
});
beforeEach(() => {
  dns.mood = 'well';
});
afterAll(async () => {
  await services?.close();
  await dns?.close();
});

const newDomain = () => `d-${randomUUID().slice(0, 8)}.example`;

const call = (method: string, end = '', body?: unknown, people: People = services.acme) =>
  services.tenancy.call(method, `/api/platforms/mail-domains${end}`, { as: people.admin, body });

async function claimed(domain: string, people: People = services.acme) {
  const answer = await call('POST', '', { domain }, people);
  expect([answer.status, answer.body.error]).toEqual([201, undefined]);
  return answer.body as { domain: string; record: { name: string; value: string }; state: string };
}

/** Claimed, and its record is in DNS. */
async function proven(domain: string, people: People = services.acme) {
  const { record } = await claimed(domain, people);
  dns.setTxt(record.name, ['v=spf1 -all', record.value]);
  const checked = await call('POST', `/${domain}/check`, undefined, people);
  expect([checked.status, checked.body.state]).toEqual([200, 'proven']);
  return record;
}

async function connect(credentials: Record<string, unknown>, email = {}, people: People = services.acme) {
  const botId = await createBot(services, people);
  const path = `/api/bots/${people.tenantId}/${botId}/integrations`;
  const body = { integrationType: 'email', credentials, settings: { email } };
  const answer = await services.tenancy.call('POST', path, { as: people.admin, body });
  return { ...answer, botId, path: `${path}/${answer.body.integrationId}` };
}

const get = async (path: string, people: People = services.acme) =>
  (await services.tenancy.call('GET', path, { as: people.admin })).body;

test('W-20: a domain is proven by the TXT record that was issued for it, and by no other', async () => {
  const domain = newDomain();
  const claim = await claimed(domain.toUpperCase());
  expect(claim).toMatchObject({
    domain,
    state: 'unproven',
    record: { type: 'TXT', name: `_botyard.${domain}` },
  });
  expect(claim.record.value).toMatch(/^botyard-domain-verification=[\w-]{43}$/);
  for (const values of [
    [],
    ['botyard-domain-verification='],
    [`${claim.record.value}x`],
    ['x'.repeat(600)],
  ]) {
    dns.setTxt(claim.record.name, values);
    const { status, body } = await call('POST', `/${domain}/check`);
    expect([status, body.state, body.lastError]).toEqual([
      200,
      'unproven',
      expect.stringContaining('has no TXT record'),
    ]);
  }
  dns.setTxt(claim.record.name, ['v=spf1 -all', claim.record.value]);
  const { body } = await call('POST', `/${domain}/check`);
  expect(body).toMatchObject({ state: 'proven', lastError: null, provenAt: expect.stringMatching(/Z$/) });
  expect((await call('GET')).body).toContainEqual(body);
});

test('name servers that fail or are silent prove nothing, and take nothing away', async () => {
  const [domain, provenDomain] = [newDomain(), newDomain()];
  const { record } = await claimed(domain);
  dns.setTxt(record.name, [record.value]);
  await proven(provenDomain);
  for (const mood of ['server failure', 'silent'] as const) {
    dns.mood = mood;
    const response = await call('POST', `/${domain}/check`);
    expect([response.status, response.body.state, response.body.lastError]).toEqual([
      200,
      'unproven',
      expect.stringContaining('did not answer'),
    ]);
    expect((await call('POST', `/${provenDomain}/check`)).body).toMatchObject({ state: 'proven' });
  }
});

test("each tenant has its own value: another's record proves nothing", async () => {
  const domain = newDomain();
  const [ours, theirs] = [await claimed(domain), await claimed(domain, services.other)];
  expect(ours.record.value).not.toBe(theirs.record.value);
  dns.setTxt(ours.record.name, [theirs.record.value]);
  expect((await call('POST', `/${domain}/check`)).body.state).toBe('unproven');
});

test("an unproven claim reserves nothing, a proven domain is one tenant's", async () => {
  const domain = newDomain();
  const theirs = await claimed(domain, services.other);
  await proven(domain);
  const again = await call('POST', `/${domain}/check`, undefined, services.other);
  expect(again.body.state).toBe('unproven');
  dns.setTxt(theirs.record.name, [theirs.record.value]);
  const stolen = await call('POST', `/${domain}/check`, undefined, services.other);
  expect([stolen.status, stolen.body.error]).toEqual([409, 'another tenant has proven this domain']);
  expect((await call('DELETE', `/${domain}`, undefined, services.other)).status).toBe(204);
  expect((await call('POST', '', { domain }, services.other)).status).toBe(409);
  expect((await call('DELETE', `/${domain}`)).status).toBe(204);
  expect((await call('POST', '', { domain }, services.other)).status).toBe(201);
});

test('two tenants that check simultaneously: one of them has proven it', async () => {
  const domain = newDomain();
  const [ours, theirs] = [await claimed(domain), await claimed(domain, services.other)];
  dns.setTxt(ours.record.name, [ours.record.value, theirs.record.value]);
  const answers = await Promise.all([
    call('POST', `/${domain}/check`),
    call('POST', `/${domain}/check`, undefined, services.other),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test.each([
  ['Bücher-%.example', 'xn--bcher-%-n2a.example'],
  [' mail.%.example. ', 'mail.%.example'],
])('%j is kept in the letters of DNS', async (written, kept) => {
  const unique = randomUUID().slice(0, 8);
  const { body } = await call('POST', '', { domain: written.replace('%', unique) });
  if (written.startsWith('B')) expect(body.domain).toMatch(/^xn--[a-z0-9-]+\.example$/);
  else expect(body.domain).toBe(kept.replace('%', unique));
  expect((await call('DELETE', `/${encodeURIComponent(written.replace('%', unique))}`)).status).toBe(204);
});

test.each([
  ...['com', 'localhost', 'a..b', 'http://acme.example', 'acme.example/x', 'user@acme.example', '127.0.0.1'],
  ...['[::1]', '_dmarc.acme.example', '\u202Eacme.example', `${'a.'.repeat(150)}example`],
])('%j is not a domain: 400 with the field', async (domain) => {
  const { status, body } = await call('POST', '', { domain });
  expect([status, body.issues?.[0]?.path]).toEqual([400, 'domain']);
});

test('a body with NUL is 400 before it is read', async () => {
  expect((await call('POST', '', { domain: 'acme.example\u0000' })).status).toBe(400);
});

test.each(['co.uk', 'github.io', 'gmail.com', 'yahoo.co.uk', 't-online.de', 'bots.example'])(
  "%s can't be claimed: 422",
  async (domain) => {
    expect((await call('POST', '', { domain })).status).toBe(422);
  },
);

test('a domain is claimed once, and unknown ones are 404', async () => {
  const domain = newDomain();
  await claimed(domain);
  expect((await call('POST', '', { domain })).status).toBe(409);
  for (const unknown of [newDomain(), 'no%20domain', '...', 'x'.repeat(200)])
    for (const [method, end] of [
      ['POST', `/${unknown}/check`],
      ['DELETE', `/${unknown}`],
    ] as const)
      expect([unknown, (await call(method, end)).status]).toEqual([unknown, 404]);
  expect((await call('POST', `/${domain}/check`, undefined, services.other)).status).toBe(404);
});

test("W-20: the installation's account is for addresses under its domain and of proven domains", async () => {
  const domain = newDomain();
  const before = await connect({ address: `support@${domain}` });
  expect([before.status, before.body.error]).toEqual([422, expect.stringContaining(`prove ${domain}`)]);
  expect((await connect({ address: `support@sub.bots.example` })).status).toBe(422);
  expect((await connect({ address: `s-${randomUUID()}@bots.example` })).status).toBe(201);
  expect((await connect({ address: `own@${newDomain()}`, apiKey: 'key-0123456789' })).status).toBe(201);
  await proven(domain);
  const { body, status } = await connect({ address: `support@${domain}` });
  expect([status, body.registration]).toEqual([201, { state: 'awaiting_first_delivery' }]);
  const saved = (await emitted(services.harness, integrationSaved)).at(-1);
  expect(saved).toMatchObject({ integrationId: body.integrationId, provenDomain: domain });
});

test.each(['postmaster', 'abuse', 'no-reply', 'hostmaster', 'admin'])(
  "the address %s under the installation's domain is reserved",
  async (local) => {
    for (const more of [{}, { apiKey: 'key-0123456789' }]) {
      const { status, body } = await connect({ address: `${local}@bots.example`, ...more });
      expect([status, body.error]).toEqual([422, expect.stringContaining('is reserved')]);
    }
  },
);

test("W-20: everybody is answered on the installation's account only with a signing key", async () => {
  const address = () => `o-${randomUUID()}@bots.example`;
  const open = await connect({ address: address() }, { senderPolicy: 'open' });
  expect([open.status, open.body.error]).toEqual([422, expect.stringContaining('webhookSigningKey')]);
  expect(
    (await connect({ address: address() }, { senderPolicy: 'open', webhookSigningKey: 'k' })).status,
  ).toBe(201);
  expect((await connect({ address: address(), apiKey: 'key-1' }, { senderPolicy: 'open' })).status).toBe(201);
  const { path } = await connect({ address: address() });
  const change = (body: unknown) => services.tenancy.call('PUT', path, { as: services.acme.admin, body });
  expect((await change({ settings: { email: { senderPolicy: 'open' } } })).status).toBe(422);
  expect((await get(path)).settings.email.senderPolicy).toBe('authorized');
  const off = await change({ enabled: false, settings: { email: { senderPolicy: 'open' } } });
  expect([off.status, off.body.registration]).toEqual([
    200,
    { state: 'failed', lastError: expect.stringContaining('webhookSigningKey') },
  ]);
  expect((await change({ enabled: true })).status).toBe(422);
  const mended = await change({ enabled: true, settings: { email: { webhookSigningKey: 'signing' } } });
  expect([mended.status, mended.body.registration]).toEqual([200, { state: 'awaiting_first_delivery' }]);
});

test('an address of a proven domain is taken over by the tenant with the proof, and by no other', async () => {
  const domain = newDomain();
  const address = `support@${domain}`;
  const squatted = await connect({ address, apiKey: 'key-0123456789' }, {}, services.other);
  expect(squatted.status).toBe(201);
  expect((await connect({ address, apiKey: 'key-0123456789' })).status).toBe(409);
  await proven(domain);
  const ours = await connect({ address });
  expect(ours.status).toBe(201);
  const lost = await get(squatted.path, services.other);
  expect(lost.registration).toMatchObject({
    state: 'failed',
    lastError: expect.stringContaining('give the integration another'),
  });
  const events = (await emitted(services.harness, integrationSaved)).filter(
    ({ integrationId }) => integrationId === squatted.body.integrationId,
  );
  expect(events.at(-1)).toMatchObject({ revision: 2 });
  expect(events.at(-1)).not.toHaveProperty('address');
  const refused = await connect({ address: `sales@${domain}`, apiKey: 'key-0123456789' }, {}, services.other);
  expect(refused.status).toBe(409);
  const moved = await services.tenancy.call('PUT', squatted.path, {
    as: services.other.admin,
    body: { credentials: { address: `other@${newDomain()}` } },
  });
  expect([moved.status, moved.body.registration]).toEqual([200, { state: 'awaiting_first_delivery' }]);
});

test('sending for a proven domain stops when the proof is lost, and resumes with it', async () => {
  const domain = newDomain();
  await proven(domain);
  const { path, body } = await connect({ address: `support@${domain}` });
  expect((await call('DELETE', `/${domain}`)).status).toBe(204);
  expect((await get(path)).registration).toEqual({
    state: 'failed',
    lastError: expect.stringContaining(`prove ${domain}`),
  });
  const last = async () =>
    (await emitted(services.harness, integrationSaved))
      .filter((e) => e.integrationId === body.integrationId)
      .at(-1);
  expect(await last()).not.toHaveProperty('provenDomain');
  const again = await claimed(domain);
  expect(again.record.value).toBe(
    (await call('GET')).body.find((row: { domain: string }) => row.domain === domain).record.value,
  );
  expect((await call('POST', `/${domain}/check`)).body.state).toBe('proven');
  expect((await get(path)).registration).toEqual({ state: 'awaiting_first_delivery' });
  expect(await last()).toMatchObject({ provenDomain: domain });
});

test('a record that is missing for 3 days ends the proof; one that reappears in time does not', async () => {
  const [gone, back] = [newDomain(), newDomain()];
  const records = [await proven(gone), await proven(back)];
  const { path } = await connect({ address: `support@${gone}` });
  for (const { name } of records) dns.setTxt(name, []);
  const due = (more: string) =>
    services.harness.asOwner(
      `update tenancy.mail_domains set due_at = now()${more} where domain = any ($1)`,
      [[gone, back]],
    );
  const { harness } = services;
  const database = harness.databaseAs('tenancy');
  const outbox = new Outbox({ bus: await harness.busAs('tenancy'), database, schema: 'tenancy' });
  const hashToken = createTokenHash(database, Keyring.parse(harness.secretsKeys));
  const deps = {
    database,
    outbox,
    hashToken,
    dns: createDnsClient([dns.address]),
    mailerDomain: 'bots.example',
    log: harness.log('test'),
  };
  const stateOf = async (domain: string) =>
    (await call('GET')).body.find((row: { domain: string }) => row.domain === domain);
  await due('');
  await recheckDueDomains(deps);
  expect(await stateOf(gone)).toMatchObject({
    state: 'proven',
    lastError: expect.stringContaining('no TXT record'),
  });
  dns.setTxt(records[1]!.name, [records[1]!.value]);
  await due(", missing_since = now() - interval '73 hours'");
  await recheckDueDomains(deps);
  expect([(await stateOf(gone)).state, (await stateOf(back)).state]).toEqual(['unproven', 'proven']);
  expect((await get(path)).registration.state).toBe('failed');
});

test('integrations of an older version that do not fit show the reason after the next start', async () => {
  const { harness } = services;
  const address = `old-${randomUUID()}@bots.example`;
  const { path, body } = await connect({ address });
  const moved = `old@${newDomain()}`;
  await harness.asOwner('update tenancy.integrations set address = $2 where integration_id = $1', [
    body.integrationId,
    moved,
  ]);
  expect((await get(path)).registration).toEqual({ state: 'awaiting_first_delivery' });
  const second = await startTenancy(services, harness.namespace, { DNS_SERVERS: dns.address });
  await eventually('it is reviewed', async () => (await get(path)).registration.state === 'failed');
  expect((await get(path)).registration.lastError).toContain('sends only for addresses under bots.example');
  await second.stop();
});

test('a tenant claims 50 domains at most, also with simultaneous requests', async () => {
  const people = services.other;
  const claims = await Promise.all(
    Array.from({ length: 60 }, () => call('POST', '', { domain: newDomain() }, people)),
  );
  const { body } = await call('GET', '', undefined, people);
  expect(body).toHaveLength(50);
  expect(claims.filter(({ status }) => status === 409).length).toBeGreaterThanOrEqual(10);
});

test('only admins and operators manage mail domains', async () => {
  const { tenancy, acme } = services;
  const path = '/api/platforms/mail-domains';
  for (const [as, status] of [
    [null, 401],
    [acme.member, 403],
  ] as const)
    for (const method of ['GET', 'POST'])
      expect(
        (
          await tenancy.call(method, path, {
            as,
            body: method === 'POST' ? { domain: newDomain() } : undefined,
          })
        ).status,
      ).toBe(status);
});
