import { randomBytes } from 'node:crypto';
import { readConfig } from '@botyard/shared/config/config';
import { createMetrics } from '@botyard/shared/service/metrics';
import { StallMonitor } from '@botyard/shared/service/stalls';
import { Instance } from '@botyard/shared/system/instance';
import { Problems } from '@botyard/shared/system/problems';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import { createTenantWithPeople, type People } from '@botyard/testing/people';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp as createAgents } from '../services/agents/src/app.ts';
import { agentsConfig } from '../services/agents/src/config.ts';
import { createApp as createGateway, type GatewayApp } from '../services/gateway/src/app.ts';
import { gatewayConfig } from '../services/gateway/src/config.ts';
import { createApp as createKeys } from '../services/keys/src/app.ts';
import { keysConfig } from '../services/keys/src/config.ts';
import { createApp as createTenancy } from '../services/tenancy/src/app.ts';
import { tenancyConfig } from '../services/tenancy/src/config.ts';

/** From the gate to the services, as a customer's backend comes. */
let harness: ServiceHarness;
let tenancy: TestService;
let acme: People;
let other: People;
/** Two processes of the gateway. */
let gateways: { app: GatewayApp; url: string }[];

const nowhere = 'http://127.0.0.1:9';

beforeAll(async () => {
  harness = await ServiceHarness.open();
  // The services whose events agents consumes.
  await Promise.all([harness.busAs('webhooks'), harness.busAs('usage')]);
  const env = { OPENAI_BASE_URL: `${nowhere}/v1`, ANTHROPIC_BASE_URL: nowhere };
  const [first, keys, agents] = await Promise.all([
    harness.start({ service: 'tenancy', schema: tenancyConfig, createApp: createTenancy }),
    harness.start({ service: 'keys', schema: keysConfig, createApp: createKeys, env }),
    harness.start({ service: 'agents', schema: agentsConfig, createApp: createAgents }),
  ]);
  tenancy = first;
  gateways = await Promise.all([0, 1].map(() => startGateway({ tenancy, keys, agents })));
  [acme, other] = [
    await createTenantWithPeople(harness, tenancy),
    await createTenantWithPeople(harness, tenancy),
  ];
});
afterAll(async () => {
  for (const { app } of gateways ?? []) await app.stop();
  await harness?.close();
});

async function startGateway(services: Record<'tenancy' | 'keys' | 'agents', TestService>) {
  const config = readConfig(gatewayConfig, {
    ...{ NODE_ENV: 'test', LOG_LEVEL: 'silent', PORT: '0', IDENTITY_SIGNING_KEY: harness.identitySigningKey },
    ...{ NATS_URL: harness.natsUrl, NATS_NAMESPACE: harness.namespace },
    ...{ TENANCY_URL: services.tenancy.url, KEYS_URL: services.keys.url, AGENTS_URL: services.agents.url },
    ...{ USAGE_URL: nowhere, WEBHOOKS_URL: nowhere },
  });
  const log = harness.log('gateway');
  const runtime = {
    ...{ log, metrics: createMetrics('gateway'), instance: new Instance('gateway') },
    stalls: new StallMonitor({ log }),
    problems: new Problems({ log }),
  };
  const app = await createGateway(config, runtime);
  await app.start();
  return { app, url: `http://127.0.0.1:${app.publicPort()}` };
}

interface MadeToken {
  tokenId: string;
  token: string;
}

async function makeToken(body: object = {}, { tenantId, admin }: People = acme): Promise<MadeToken> {
  const answer = await tenancy.call('POST', '/api/auth/tokens', {
    ...{ as: admin, body: { name: 'Shop', role: 'admin', ...body } },
    headers: { 'x-tenant-id': tenantId },
  });
  expect(answer.status).toBe(201);
  return answer.body;
}

/** A request with a token, through one of the gateways. */
async function call(
  token: string,
  method: string,
  path: string,
  { body, at = 0 }: { body?: unknown; at?: number } = {},
) {
  const response = await fetch(`${gateways[at]?.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails when that isn't there
  const parsed: any = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, body: parsed, headers: response.headers };
}

const readStatus = async (token: string, at = 0) =>
  (await call(token, 'GET', `/api/keys/${acme.tenantId}`, { at })).status;
const revoke = (tokenId: string) => tenancy.call('DELETE', `/api/auth/tokens/${tokenId}`, { as: acme.admin });

/** Events of the tenant; `isOver` once the stream has ended. */
async function listen(token: string) {
  const response = await fetch(`${gateways[0]?.url}/api/events`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const stream = { status: response.status, isOver: false };
  const reading = async () => {
    for await (const _ of response.body ?? []);
  };
  void reading()
    .catch(() => undefined)
    .finally(() => {
      stream.isOver = true;
    });
  return stream;
}

test("K-04: a customer's backend provisions an agent, a bot and a key with an admin token, and reads them with a member token", async () => {
  const { token } = await makeToken();
  const { tenantId } = acme;
  const agent = { name: 'Guide', instructions: 'Help.', provider: 'openai', model: 'any' };
  const made = await call(token, 'POST', '/api/definitions/agents', { body: agent });
  expect(made.status).toBe(201);
  const bot = { name: 'Shop bot', agentIds: [made.body.id] };
  const { status, body } = await call(token, 'POST', `/api/bots/${tenantId}/bots`, { body: bot });
  expect([status, body.tenantId, body.agentIds]).toEqual([201, tenantId, [made.body.id]]);
  const key = { provider: 'openai', apiKey: 'sk-0123456789abcdef' };
  expect((await call(token, 'POST', `/api/keys/${tenantId}`, { body: key })).status).toBe(201);

  const { token: reader } = await makeToken({ role: 'member' });
  const path = `/api/bots/${tenantId}/${body.botId}`;
  expect((await call(reader, 'GET', path)).body).toMatchObject({ botId: body.botId, name: 'Shop bot' });
  expect((await call(reader, 'DELETE', path)).status).toBe(403);
  expect((await call(reader, 'GET', `/api/keys/${tenantId}`)).status).toBe(403);
});

test('K-04: a token is valid for its own tenant only, for every way to name one', async () => {
  const { token } = await makeToken();
  for (const path of [
    `/api/keys/${other.tenantId}`,
    `/api/bots/tenants/${other.tenantId}`,
    `/api/agents?tenantId=${other.tenantId}`,
  ])
    expect([path, (await call(token, 'GET', path)).status]).toEqual([path, 403]);
  const named = await fetch(`${gateways[0]?.url}/api/agents`, {
    headers: { authorization: `Bearer ${token}`, 'x-tenant-id': other.tenantId },
  });
  expect(named.status).toBe(403);
});

test('K-03: an unknown or misspelt token is 401 like any invalid one', async () => {
  const { token } = await makeToken();
  const session = await call('eyJ.eyJ.sig', 'GET', '/api/agents');
  const strange = `byd_${randomBytes(32).toString('base64url')}`;
  for (const bad of [
    strange,
    token.slice(0, -1),
    `${token}A`,
    token.toUpperCase(),
    `byd_${'A'.repeat(43)}`,
  ]) {
    const answer = await call(bad, 'GET', '/api/agents');
    expect([answer.status, answer.body]).toEqual([401, session.body]);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  }
});

test('P11: a revoked API token is 401 at every gateway at the announcement, and its streams end', async () => {
  const { token, tokenId } = await makeToken();
  await eventually('both gateways know it', async () =>
    (await Promise.all([readStatus(token, 0), readStatus(token, 1)])).every((status) => status === 200),
  );
  const stream = await listen(token);
  expect(stream.status).toBe(200);
  expect((await revoke(tokenId)).status).toBe(204);
  const revokedAt = performance.now();
  await eventually(
    'both refuse, and the stream is over',
    async () =>
      stream.isOver &&
      (await Promise.all([readStatus(token, 0), readStatus(token, 1)])).every((status) => status === 401),
    beforeItExpires,
  );
  const afterMs = Math.round(performance.now() - revokedAt);
  process.stdout.write(`P11: a revoked API token is refused everywhere after ${afterMs} ms\n`);
});

test('a token that expires is 401, and its streams end', async () => {
  const { token, tokenId } = await makeToken({ expiresAt: new Date(Date.now() + 3600_000).toISOString() });
  // Before any process was notified of its end.
  await harness.asOwner(
    `update tenancy.api_tokens set expires_at = now() + interval '3 s' where token_id = $1`,
    [tokenId],
  );
  const stream = await listen(token);
  expect(stream.status).toBe(200);
  await eventually(
    'it is refused, and the stream is over',
    async () => stream.isOver && (await readStatus(token)) === 401,
    beforeItExpires,
  );
});

test('K-02: the tokens of a deleted tenant are 401', async () => {
  const people = await createTenantWithPeople(harness, tenancy);
  const { token } = await makeToken({}, people);
  expect((await call(token, 'GET', '/api/agents')).status).toBe(200);
  await tenancy.call('DELETE', `/api/bots/tenants/${people.tenantId}`, { as: people.admin });
  await eventually(
    'it is refused',
    async () => (await call(token, 'GET', '/api/agents')).status === 401,
    beforeItExpires,
  );
});

test('when a token was last used is known, and no log line of any service has it', async () => {
  const { token, tokenId } = await makeToken();
  expect(await readStatus(token)).toBe(200);
  await call(`${token}x`, 'GET', `/api/agents?token=${token}`);
  const { body } = await tenancy.call('GET', '/api/auth/tokens', { as: acme.admin });
  const listed = body.find((one: { tokenId: string }) => one.tokenId === tokenId);
  expect(listed.lastUsedAt).toMatch(/Z$/);
  const secret = token.slice(5, -4);
  expect(harness.logLines.filter((line) => line.includes(secret))).toEqual([]);
  expect(harness.logLines.some((line) => line.includes(`token:${tokenId}`))).toBe(true);
});
