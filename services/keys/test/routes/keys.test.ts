import { randomUUID } from 'node:crypto';
import { maxKeys } from '@botyard/contracts/http/keys';
import { createTenantWithPeople } from '@botyard/testing/people';
import { anonymous } from '@botyard/testing/test-call';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addAgent,
  addBot,
  type KeysServices,
  openKeysServices,
  startKeys,
  storeKey,
} from '../keys-services.ts';

let services: KeysServices;

beforeAll(async () => {
  services = await openKeysServices({ PRIVATE_LLM_BASE_URL: 'http://llm.invalid/v1' });
});

afterAll(() => services?.harness.close());

function create(body: Record<string, unknown>) {
  const { keys, acme } = services;
  return keys.call('POST', `/api/keys/${acme.tenantId}`, { as: acme.admin, body });
}

describe('storing a key', () => {
  test('answers 201 with the masked key and the defaults of the specification', async () => {
    const answer = await create({ provider: 'openai', apiKey: 'sk-proj-abcdefghijklMxYA' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      keyId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tenantId: services.acme.tenantId,
      provider: 'openai',
      maskedKey: '…MxYA',
      keyType: 'byok',
      scopeType: 'tenant',
      scopeId: null,
      status: 'active',
      statusReason: null,
      invalidatedAt: null,
      coolUntil: null,
      validation: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
  });

  test('shows nothing at all of a short key', async () => {
    expect((await create({ provider: 'private-llm', apiKey: 'short-key-1' })).body.maskedKey).toBe('…');
  });

  test.each([1, 4, 11, 12, 13, 164, 1000])(
    'S-02: at most the last 4 characters of a key of %i characters are in any answer, and none of a short one',
    async (length) => {
      const { keys, acme } = services;
      const apiKey = Array.from({ length }, (_, at) =>
        String.fromCharCode(33 + ((at * 7 + length) % 90)),
      ).join('');
      const created = await create({ provider: 'openai', apiKey });
      const path = `/api/keys/${acme.tenantId}`;
      const as = acme.admin;
      const answers = [
        created,
        await keys.call('GET', path, { as }),
        await keys.call('GET', `${path}/resolve/openai`, { as }),
        await keys.call('POST', `${path}/${created.body.keyId}/validate`, { as }),
        await keys.call('PUT', `${path}/${created.body.keyId}/invalidate`, { as }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200]);
      expect(created.body.maskedKey).toBe(length < 12 ? '…' : `…${apiKey.slice(-4)}`);
      const parts = Array.from({ length: Math.max(0, length - 4) }, (_, at) =>
        JSON.stringify(apiKey.slice(at, at + 5)).slice(1, -1),
      );
      const text = answers.map((answer) => answer.text).join('\n');
      expect(parts.filter((part) => text.includes(part))).toEqual([]);
    },
  );

  test.each(['bot', 'agent'])('keeps the scope %s', async (scopeType) => {
    const scopeId = scopeType === 'bot' ? await addBot(services, services.acme) : addAgent(services);
    const { body } = await create({ provider: 'anthropic', apiKey: 'sk-ant-0123456789', scopeType, scopeId });
    expect(body).toMatchObject({ scopeType, scopeId });
  });

  test('a tenant has a limited number of keys, also when several are stored at once', async () => {
    const { harness, keys, tenancy } = services;
    const people = await createTenantWithPeople(harness, tenancy);
    const keyId = await storeKey(keys, people);
    const copies = `insert into keys.keys (tenant_id, key_id, provider, key_type, scope_type, host, masked_key, sealed_key)
      select tenant_id, gen_random_uuid(), provider, key_type, scope_type, host, masked_key, sealed_key
      from keys.keys, generate_series(1, $2) where key_id = $1`;
    await harness.asOwner(copies, [keyId, maxKeys - 3]);
    const body = { provider: 'openai', apiKey: 'sk-proj-0123456789abcdef' };
    const path = `/api/keys/${people.tenantId}`;
    const store = () => keys.call('POST', path, { as: people.admin, body });
    const answers = await Promise.all(Array.from({ length: 4 }, store));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      error: expect.stringContaining(`${maxKeys} keys`),
    });
    await keys.call('DELETE', `${path}/${keyId}`, { as: people.admin });
    expect((await store()).status).toBe(201);
  });

  test('the same key may be stored twice', async () => {
    const [first, second] = [
      await storeKey(services.keys, services.acme),
      await storeKey(services.keys, services.acme),
    ];
    expect(first).not.toBe(second);
  });

  test.each([
    [
      'an unknown provider',
      { provider: 'mistral' },
      'provider',
      /^must be one of openai, anthropic, .*private-llm$/,
    ],
    ['no provider', { provider: undefined }, 'provider', /^is required$/],
    ['no key', { apiKey: undefined }, 'apiKey', /^is required$/],
    ['an empty key', { apiKey: '' }, 'apiKey', /./],
    ['a line break in the key', { apiKey: 'sk-proj-0123\n456789' }, 'apiKey', /line break/],
    ['a carriage return at the end of the key', { apiKey: 'sk-proj-0123456789\r' }, 'apiKey', /line break/],
    ['a key beyond ASCII', { apiKey: 'sk-proj-01234567é' }, 'apiKey', /ASCII/],
    ['an unknown scope', { scopeType: 'user', scopeId: randomUUID() }, 'scopeType', /tenant, bot, agent/],
    ['a bot scope without scopeId', { scopeType: 'bot' }, 'scopeId', /required/],
    ['an agent scope with a null scopeId', { scopeType: 'agent', scopeId: null }, 'scopeId', /required/],
    ['a scopeId that is no identifier', { scopeType: 'bot', scopeId: 'x' }, 'scopeId', /./],
    ['a scopeId whose scopeType was forgotten', { scopeId: randomUUID() }, 'scopeId', /scopeType/],
    ['a bot that is not there', { scopeType: 'bot', scopeId: randomUUID() }, 'scopeId', /has no bot /],
    ['an agent that is not there', { scopeType: 'agent', scopeId: randomUUID() }, 'scopeId', /has no agent /],
    ['an unknown keyType', { keyType: 'stolen' }, 'keyType', /byok/],
  ])('refuses %s with 400 that names the field', async (_what, change, path, message) => {
    const answer = await create({ provider: 'openai', apiKey: 'sk-proj-0123456789abcdef', ...change });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: expect.any(String) });
    expect(answer.body.issues).toContainEqual({
      path,
      message: expect.stringMatching(message),
    });
  });

  test('a bot of another tenant is not a valid scope', async () => {
    const scopeId = await addBot(services, services.other);
    const answer = await create({
      provider: 'openai',
      apiKey: 'sk-proj-0123456789',
      scopeType: 'bot',
      scopeId,
    });
    expect([answer.status, answer.body.issues]).toMatchObject([400, [{ path: 'scopeId' }]]);
  });

  test('a tenantId in the body selects nothing', async () => {
    const { other } = services;
    const { body } = await create({
      provider: 'openai',
      apiKey: 'sk-proj-0123456789',
      tenantId: other.tenantId,
    });
    expect(body.tenantId).toBe(services.acme.tenantId);
  });
});

describe('listing keys', () => {
  test('shows the own tenant only, newest first, page by page, and never the sealed key', async () => {
    const { keys, other } = services;
    const stored: string[] = [];
    for (let count = 0; count < 3; count += 1) stored.unshift(await storeKey(keys, other));
    const first = await keys.call('GET', `/api/keys/${other.tenantId}?limit=2`, { as: other.admin });
    expect(first.body.map((key: { keyId: string }) => key.keyId)).toEqual(stored.slice(0, 2));
    expect(first.text).not.toMatch(/eyJ|sealed|apiKey|host/);
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await keys.call('GET', next, { as: other.admin });
    expect(second.body.map((key: { keyId: string }) => key.keyId)).toEqual(stored.slice(2));
    expect(second.headers.get('link')).toBeNull();
  });
});

test('keys are narrowed by provider, state, scope and their last characters, and sorted page by page', async () => {
  const { keys, acme: people } = services;
  const { tenantId, admin: as } = await createTenantWithPeople(services.harness, services.tenancy);
  const owner = { ...people, tenantId, admin: as };
  const first = await storeKey(keys, owner, { provider: 'openai', apiKey: 'sk-proj-0123456789abMxYA' });
  const second = await storeKey(keys, owner, { provider: 'anthropic' });
  const third = await storeKey(keys, owner, { provider: 'openai' });
  await keys.call('PUT', `/api/keys/${tenantId}/${second}/invalidate`, { as });
  const ids = async (query: string): Promise<string[]> =>
    (await keys.call('GET', `/api/keys/${tenantId}?${query}`, { as })).body.map(
      ({ keyId }: { keyId: string }) => keyId,
    );
  expect(await ids('provider=openai')).toEqual([third, first]);
  expect(await ids('status=invalid')).toEqual([second]);
  expect(await ids('q=mxya')).toEqual([first]);
  expect(await ids('q=%25')).toEqual([]);
  expect(await ids('scopeType=bot')).toEqual([]);
  expect(await ids('sort=createdAt')).toEqual([first, second, third]);
  expect(await ids('sort=-updatedAt&limit=1')).toEqual([second]);
  const page = await keys.call('GET', `/api/keys/${tenantId}?sort=provider&limit=2`, { as });
  const [, next = ''] = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '') ?? [];
  const rest = await keys.call('GET', next, { as });
  expect([...page.body, ...rest.body].map(({ keyId }: { keyId: string }) => keyId)).toEqual([
    second,
    first,
    third,
  ]);
});

describe('invalidating and deleting', () => {
  test('an invalidated key stays, marked invalid; doing it again changes nothing', async () => {
    const { keys, acme } = services;
    const path = `/api/keys/${acme.tenantId}/${await storeKey(keys, acme)}/invalidate`;
    for (let times = 0; times < 2; times += 1) {
      const answer = await keys.call('PUT', path, { as: acme.admin });
      expect(answer).toMatchObject({ status: 200, body: { status: 'invalid', statusReason: 'person' } });
    }
  });

  test('a deleted key no longer exists: 204, then 404', async () => {
    const { keys, acme } = services;
    const keyId = await storeKey(keys, acme);
    const remove = () => keys.call('DELETE', `/api/keys/${acme.tenantId}/${keyId}`, { as: acme.admin });
    expect(await remove()).toMatchObject({ status: 204, text: '' });
    expect((await remove()).status).toBe(404);
    const listed = await keys.call('GET', `/api/keys/${acme.tenantId}?limit=500`, { as: acme.admin });
    expect(listed.text).not.toContain(keyId);
  });

  test.each([
    ['PUT', '/invalidate'],
    ['DELETE', ''],
  ])(
    '%s%s: the key of another tenant and one that is no identifier are 404, and untouched',
    async (method, end) => {
      const { keys, acme, other } = services;
      const foreign = await storeKey(keys, other);
      for (const keyId of [foreign, randomUUID(), 'nothing']) {
        const answer = await keys.call(method, `/api/keys/${acme.tenantId}/${keyId}${end}`, {
          as: acme.admin,
        });
        expect(answer).toMatchObject({ status: 404, body: { error: 'key not found' } });
      }
      const { body } = await keys.call('GET', `/api/keys/${other.tenantId}?limit=500`, { as: other.admin });
      expect(body).toContainEqual(expect.objectContaining({ keyId: foreign, status: 'active' }));
    },
  );
});

describe('access', () => {
  const body = { provider: 'openai', apiKey: 'sk-proj-0123456789' };
  const requests = [
    { what: 'list', method: 'GET', end: '', body: undefined, allowed: 200 },
    { what: 'create', method: 'POST', end: '', body, allowed: 201 },
    { what: 'invalidate', method: 'PUT', end: `/${randomUUID()}/invalidate`, body: undefined, allowed: 404 },
    { what: 'validate', method: 'POST', end: `/${randomUUID()}/validate`, body: undefined, allowed: 404 },
    { what: 'delete', method: 'DELETE', end: `/${randomUUID()}`, body: undefined, allowed: 404 },
    { what: 'resolve', method: 'GET', end: '/resolve/openai', body: undefined, allowed: 200 },
  ];

  test.each(requests)(
    '$what: only admins of the tenant and operators',
    async ({ method, end, body, allowed }) => {
      const { keys, acme, other } = services;
      const status = async (as: Parameters<typeof keys.call>[2]['as'], tenantId = acme.tenantId) =>
        (await keys.call(method, `/api/keys/${tenantId}${end}`, { as, body })).status;
      expect(await status(null)).toBe(401);
      expect(await status(anonymous)).toBe(401);
      expect(await status(acme.member)).toBe(403);
      expect(await status(acme.stranger)).toBe(403);
      expect(await status(other.admin)).toBe(403);
      expect(await status(acme.stranger, randomUUID())).toBe(403);
      expect(await status(acme.admin)).toBe(allowed);
      expect(await status(acme.operator)).toBe(allowed);
      expect(await status(acme.operator, randomUUID())).toBe(404);
    },
  );
});

test('a key for the private LLM is refused while the installation has none', async () => {
  const { harness, acme } = services;
  const keys = await startKeys(harness);
  const answer = await keys.call('POST', `/api/keys/${acme.tenantId}`, {
    as: acme.admin,
    body: { provider: 'private-llm', apiKey: 'llm-0123456789' },
  });
  expect(answer).toMatchObject({ status: 422, body: { error: expect.stringMatching(/not configured/) } });
});
