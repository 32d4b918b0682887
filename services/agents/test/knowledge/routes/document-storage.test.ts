import { randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import { eventually } from '@botyard/testing/eventually';
import { startFakeMessenger } from '@botyard/testing/fake-messenger';
import { startAndMissLock } from '@botyard/testing/missed-lock';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp as createWebhooksApp } from '../../../../webhooks/src/app.ts';
import { webhooksConfig } from '../../../../webhooks/src/config.ts';
import { agentsConfig } from '../../../src/config.ts';
import { type AgentsServices, openAgentsServices, startAgents } from '../../agents-services.ts';

const quota = 10_000;
const env = { TENANT_DOCUMENT_BYTES: String(quota) };
let services: AgentsServices;
/** Another process of the service, so that simultaneous requests meet in the database. */
let second: TestService;
let messenger: Awaited<ReturnType<typeof startFakeMessenger>>;

beforeAll(async () => {
  services = await openAgentsServices(env);
  second = await startAgents(services, env);
  messenger = await startFakeMessenger();
});
afterAll(async () => {
  await services?.close();
  await messenger?.close();
});

/** On a busy machine the answer may be 503: then it is asked again, as anybody would. */
const add = (bytes: number, service = services.agents) =>
  eventually('the database has the time', async () => {
    const answer = await service.call('POST', '/api/context-sources', {
      as: services.acme.admin,
      body: { title: 'Rules', text: randomUUID().padEnd(bytes, '.') },
    });
    return answer.status !== 503 && answer;
  });
const storage = (as: Identity = services.acme.admin) =>
  services.usage.call('GET', `/api/usage/${services.acme.tenantId}/storage`, { as });
const limits = (method: 'GET' | 'PUT', body?: unknown) =>
  services.tenancy.call(method, `/api/bots/superadmin/tenants/${services.acme.tenantId}/limits`, {
    as: services.acme.operator,
    body,
  });

test('without the webhooks service the storage is 503, and in the limits only that one is unknown', async () => {
  expect((await storage()).status).toBe(503);
  const { status, body } = await limits('GET');
  expect([status, body.mailBytes]).toEqual([200, null]);
  expect(body.documentBytes).toMatchObject({ limit: quota, used: 0 });
  // Nothing is set by halves.
  expect((await limits('PUT', { bots: 7, mailBytes: 5 })).status).toBe(503);
  expect((await limits('GET')).body.bots).toMatchObject({ ownLimit: null });
});

test('L-03: simultaneous documents in two processes never exceed the storage of their tenant', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, number) => add(3000, number % 2 === 0 ? services.agents : second)),
  );
  const taken = answers.filter(({ status }) => status === 202);
  expect(taken).toHaveLength(3);
  for (const { status, body } of answers.filter((answer) => !taken.includes(answer))) {
    expect([status, body]).toEqual([
      409,
      {
        error: expect.stringMatching(new RegExp(`at most ${quota} bytes: .* ask the operator`)),
      },
    ]);
  }
  // A replacement counts only for its additional size.
  const path = `/api/context-sources/${taken[0]!.body.sourceId}`;
  const replace = (bytes: number) =>
    services.agents.call('PUT', path, {
      as: services.acme.admin,
      body: { text: randomUUID().padEnd(bytes, '.') },
    });
  expect((await replace(4001)).status).toBe(409);
  expect((await replace(4000)).status).toBeLessThan(300);
  expect((await add(40)).status).toBe(409);
  expect((await services.agents.call('DELETE', path, { as: services.acme.admin })).status).toBe(204);
  expect((await add(40)).status).toBe(202);
});

test('L-03: a tenant sees its stored bytes, and an operator lifts both limits for it alone', async () => {
  await services.harness.start({
    service: 'webhooks',
    schema: webhooksConfig,
    createApp: createWebhooksApp,
    env: { MESSENGER_API_URL: messenger.url, TENANT_MAIL_BYTES: 'unlimited' },
  });
  expect(await storage()).toMatchObject({
    status: 200,
    body: {
      mails: { usedBytes: 0, limitBytes: null },
      documents: { usedBytes: 6040, limitBytes: quota },
    },
  });
  const lifted = await limits('PUT', { documentBytes: 20_000, mailBytes: 123 });
  expect(lifted).toMatchObject({
    status: 200,
    body: {
      documentBytes: { limit: 20_000, ownLimit: 20_000, defaultLimit: quota, used: 6040 },
      mailBytes: { limit: 123, ownLimit: 123, defaultLimit: null, used: 0 },
    },
  });
  expect((await limits('GET')).body).toEqual(lifted.body);
  expect((await add(10_000)).status).toBe(202);
  expect((await storage()).body).toEqual({
    mails: { usedBytes: 0, limitBytes: 123 },
    documents: { usedBytes: 16_040, limitBytes: 20_000 },
  });
  const other = `/api/usage/${services.other.tenantId}/storage`;
  expect((await services.usage.call('GET', other, { as: services.other.admin })).body).toEqual({
    mails: { usedBytes: 0, limitBytes: null },
    documents: { usedBytes: 0, limitBytes: quota },
  });
  expect((await services.usage.call('GET', other, { as: services.acme.admin })).status).toBe(403);
  expect((await storage(services.acme.member)).status).toBe(403);
  expect((await limits('PUT', { documentBytes: null, mailBytes: null })).body).toMatchObject({
    documentBytes: { limit: quota, ownLimit: null },
    mailBytes: { limit: null, ownLimit: null },
  });
  expect((await add(40)).status).toBe(409);
});

test('L-03: simultaneous replacements of one document do not exceed the storage of their tenant', async () => {
  const { agents, harness, other } = services;
  const call = (method: string, path: string, bytes: number) =>
    agents.call(method, `/api/context-sources${path}`, {
      as: other.admin,
      body: { text: randomUUID().padEnd(bytes, '.'), ...(method === 'POST' ? { title: 'Rules' } : {}) },
    });
  await call('POST', '', 500);
  const { sourceId } = (await call('POST', '', 9000)).body;
  const key = `hashtextextended('context_sources ${other.tenantId}', 0)`;
  const client = await harness.databaseAs('agents').pool.connect();
  await client.query(`select pg_advisory_lock(${key})`);
  const { working: smaller } = await startAndMissLock(harness, () => call('PUT', `/${sourceId}`, 100));
  const larger = call('PUT', `/${sourceId}`, 9900);
  await client.query(`select pg_advisory_unlock(${key})`);
  client.release();
  // Whichever comes first.
  expect([(await smaller).status, (await larger).status]).toEqual([200, 409]);
});

test.each(['-1', '1.5', '200MB'])('TENANT_DOCUMENT_BYTES may not be %s', (value) => {
  expect(agentsConfig.shape.TENANT_DOCUMENT_BYTES.safeParse(value).success).toBe(false);
});
