import { providerNames } from '@botyard/contracts/providers';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  addBot,
  type KeysServices,
  keysEnv,
  openKeysServices,
  startKeys,
  storeKey,
} from '../keys-services.ts';

let services: KeysServices;
/** The same tenants, with access of the platform's own to every provider. */
let withPlatform: TestService;

/** Each request names a bot and an agent: a key of one doesn't apply to the other. */
let botId: string;
let agentId: string;

beforeAll(async () => {
  services = await openKeysServices({ PRIVATE_LLM_BASE_URL: 'http://llm.invalid/v1' });
  botId = await addBot(services, services.acme);
  agentId = await addBot(services, services.acme);
  services.knownAgents.add(botId).add(agentId);
  withPlatform = await startKeys(services.harness, {
    OPENAI_API_KEY: 'sk-platform-0123456789',
    ANTHROPIC_API_KEY: 'sk-ant-platform-0123456789',
    PRIVATE_LLM_BASE_URL: 'http://llm.invalid/v1',
    PRIVATE_LLM_API_KEY: 'llm-platform-0123456789',
  });
});

beforeEach(() => services.harness.asOwner('delete from keys.keys'));

afterAll(() => services?.harness.close());

type Scope = 'tenant' | 'bot' | 'agent' | 'other bot' | 'other agent' | 'other provider';
const bodyOf = (scope: Scope): Record<string, unknown> =>
  ({
    tenant: {},
    bot: { scopeType: 'bot', scopeId: botId },
    agent: { scopeType: 'agent', scopeId: agentId },
    'other bot': { scopeType: 'bot', scopeId: agentId },
    'other agent': { scopeType: 'agent', scopeId: botId },
    'other provider': { provider: 'anthropic' },
  })[scope];

/** Stores keys in this order; `!` marks one that is then invalidated. */
async function store(...scopes: string[]): Promise<string[]> {
  const { keys, acme } = services;
  const stored: string[] = [];
  for (const scope of scopes) {
    const keyId = await storeKey(keys, acme, bodyOf(scope.replace('!', '') as Scope));
    stored.push(keyId);
    if (scope.startsWith('!')) await invalidate(keyId);
  }
  return stored;
}

const invalidate = (keyId: string, keys = services.keys) =>
  keys.call('PUT', `/api/keys/${services.acme.tenantId}/${keyId}/invalidate`, { as: services.acme.admin });

async function resolve(provider = 'openai', query = '', keys = services.keys) {
  const { tenantId, admin } = services.acme;
  return await keys.call('GET', `/api/keys/${tenantId}/resolve/${provider}${query}`, { as: admin });
}

type About = 'bot and agent' | 'bot' | 'agent' | 'nothing';
const queryOf = (about: About): string =>
  ({
    'bot and agent': `?botId=${botId}&agentId=${agentId}`,
    bot: `?botId=${botId}`,
    agent: `?agentId=${agentId}`,
    nothing: '',
  })[about];

describe('the order is agent, bot, tenant, the newest first', () => {
  test.each([
    { stored: ['agent', 'bot', 'tenant'], about: 'bot and agent', chosen: 0, considered: [0, 1, 2] },
    { stored: ['tenant', 'bot', 'agent'], about: 'bot and agent', chosen: 2, considered: [2, 1, 0] },
    { stored: ['tenant', 'bot', 'agent'], about: 'bot', chosen: 1, considered: [1, 0] },
    { stored: ['tenant', 'bot', 'agent'], about: 'agent', chosen: 2, considered: [2, 0] },
    { stored: ['tenant', 'bot', 'agent'], about: 'nothing', chosen: 0, considered: [0] },
    { stored: ['tenant', 'tenant', 'tenant'], about: 'nothing', chosen: 2, considered: [2, 1, 0] },
    { stored: ['bot', 'bot', 'tenant'], about: 'bot and agent', chosen: 1, considered: [1, 0, 2] },
    { stored: ['tenant', '!agent', 'bot'], about: 'bot and agent', chosen: 2, considered: [1, 2, 0] },
    { stored: ['bot', '!bot', 'tenant'], about: 'bot and agent', chosen: 0, considered: [1, 0, 2] },
    { stored: ['tenant', '!bot', '!agent'], about: 'bot and agent', chosen: 0, considered: [2, 1, 0] },
    { stored: ['!tenant', '!bot', '!agent'], about: 'bot and agent', chosen: null, considered: [2, 1, 0] },
    { stored: ['other bot', 'other agent'], about: 'bot and agent', chosen: null, considered: [] },
    { stored: ['tenant', 'other bot', 'other agent'], about: 'bot and agent', chosen: 0, considered: [0] },
    { stored: ['other provider', 'tenant'], about: 'bot and agent', chosen: 1, considered: [1] },
    { stored: ['other provider'], about: 'bot and agent', chosen: null, considered: [] },
    { stored: [], about: 'bot and agent', chosen: null, considered: [] },
  ] as const)('$stored asked for $about', async ({ stored, about, chosen, considered }) => {
    const keyIds = await store(...stored);
    const { status, body } = await resolve('openai', queryOf(about));
    expect(status).toBe(200);
    expect(body.keyId).toBe(chosen === null ? null : keyIds[chosen]);
    expect(body.source).toBe(chosen === null ? 'none' : stored[chosen]);
    expect(body.considered.map((key: { keyId: string }) => key.keyId)).toEqual(
      considered.map((index) => keyIds[index]),
    );
  });
});

test('every considered key has its reason', async () => {
  const [older, newer, bot, agent] = await store('tenant', 'tenant', 'bot', '!agent');
  const { body } = await resolve('openai', queryOf('bot and agent'));
  expect(body.considered).toEqual([
    { keyId: agent, reason: 'is marked invalid' },
    { keyId: bot, reason: 'used: the newest usable key of the bot' },
    { keyId: newer, reason: 'a key of the bot is used' },
    { keyId: older, reason: 'a key of the bot is used' },
  ]);
  const { body: ofTenant } = await resolve();
  expect(ofTenant.considered[1]).toEqual({ keyId: older, reason: 'a newer key of this scope is used' });
});

describe('without a key of the tenant', () => {
  test.each(['openai', 'anthropic'])(
    "%s: the platform's own key is used if there is one, else none",
    async (provider) => {
      expect((await resolve(provider)).body).toEqual({ keyId: null, source: 'none', considered: [] });
      const { body } = await resolve(provider, '', withPlatform);
      expect(body).toMatchObject({ keyId: null, source: 'platform', considered: [] });
    },
  );

  test('while the usage service does not answer the allowance is reported as unknown', async () => {
    const { body, status } = await resolve('openai', '', withPlatform);
    expect([status, body.source, body.platformKey.state]).toEqual([200, 'platform', 'unknown']);
  });

  test('the private LLM serves whenever it has an address, with or without a key', async () => {
    const unconfigured = await startKeys(services.harness);
    const sources = await Promise.all(
      [services.keys, withPlatform, unconfigured].map(
        async (keys) => (await resolve('private-llm', '', keys)).body.source,
      ),
    );
    expect(sources).toEqual(['platform', 'platform', 'none']);
  });

  test("the platform's key is used after invalid keys too, and never before an active one", async () => {
    const [keyId] = await store('!tenant');
    expect((await resolve('openai', '', withPlatform)).body).toMatchObject({
      source: 'platform',
      considered: [{ keyId, reason: 'is marked invalid' }],
    });
    await store('tenant');
    expect((await resolve('openai', '', withPlatform)).body.source).toBe('tenant');
  });
});

test('keys of another tenant are neither chosen nor listed', async () => {
  const { keys, other } = services;
  await storeKey(keys, other);
  const theirBot = await addBot(services, other);
  await storeKey(keys, other, { scopeType: 'bot', scopeId: theirBot });
  expect((await resolve('openai', `?botId=${theirBot}`)).body).toMatchObject({ keyId: null, considered: [] });
  expect((await resolve('openai', queryOf('bot and agent'))).body).toEqual({
    keyId: null,
    source: 'none',
    considered: [],
  });
});

test('an unknown provider is 400 that lists the known ones, a broken botId 400', async () => {
  expect(await resolve('mistral')).toMatchObject({
    status: 400,
    body: { issues: [{ path: 'provider', message: `must be one of ${providerNames.join(', ')}` }] },
  });
  expect((await resolve('openai', '?botId=x')).status).toBe(400);
});

test('a key is skipped once the provider has another address than at the time of storing', async () => {
  const [keyId] = await store('tenant');
  const moved = await startKeys(services.harness, {
    ...keysEnv,
    OPENAI_BASE_URL: 'http://elsewhere.invalid/v1',
  });
  expect((await resolve('openai', '', moved)).body).toEqual({
    keyId: null,
    source: 'none',
    considered: [{ keyId, reason: 'was stored for another address of the provider' }],
  });
});

test('a key never resolves after the answer to its invalidation or deletion, on any instance', async () => {
  const { acme, keys } = services;
  for (let round = 0; round < 10; round += 1) {
    const [keyId] = await store('tenant');
    const during = Array.from({ length: 20 }, (_, index) =>
      resolve('openai', '', index % 2 ? keys : withPlatform),
    );
    const ending =
      round % 2 === 0
        ? invalidate(keyId!, withPlatform)
        : keys.call('DELETE', `/api/keys/${acme.tenantId}/${keyId}`, { as: acme.admin });
    expect((await ending).status).toBeLessThan(300);
    const after = await Promise.all(
      [keys, withPlatform].flatMap((one) => [resolve('openai', '', one), resolve('openai', '', one)]),
    );
    expect(after.map(({ body }) => body.keyId)).toEqual([null, null, null, null]);
    for (const { status, body } of await Promise.all(during)) {
      expect(status).toBe(200);
      expect([keyId, null]).toContain(body.keyId);
    }
  }
});
