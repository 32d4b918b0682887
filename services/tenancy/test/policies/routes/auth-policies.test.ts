import { randomUUID } from 'node:crypto';
import { authorizationChanged } from '@botyard/contracts/events/tenancy';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emitted, openPlatform, type Platform } from '../../whole-platform.ts';

let platform: Platform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform?.close());

const base = '/api/auth/policies';
const harmless = 'forbid(principal is Person, action, resource) when { principal.name == "Nobody" };';
const call = (method: string, path = '', body?: unknown) =>
  platform.tenancy.call(method, `${base}${path}`, { as: platform.acme.admin, body });
const create = (body: object) => call('POST', '', { name: randomUUID(), text: harmless, ...body });

test('a policy is created, read, changed and deleted, and each change is announced with it', async () => {
  const announced = async () => (await emitted(platform, authorizationChanged)).length;
  const before = await announced();
  const made = await create({ name: ' Office hours ', description: 'Why' });
  expect(made.status).toBe(201);
  expect(made.body).toEqual({
    policyId: expect.any(String),
    name: 'Office hours',
    description: 'Why',
    text: harmless,
    enabled: true,
    origin: 'api',
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: expect.stringMatching(/Z$/),
  });
  const path = `/${made.body.policyId}`;
  expect((await call('GET', path)).body).toEqual(made.body);
  const changed = await call('PUT', path, { enabled: false });
  expect(changed.body).toMatchObject({ name: 'Office hours', text: harmless, enabled: false });
  expect((await call('GET')).body).toEqual([changed.body]);
  expect((await call('DELETE', path)).status).toBe(204);
  expect((await call('GET', path)).status).toBe(404);
  expect((await announced()) - before).toBe(3);
});

test('a name is used once in a tenant, also with simultaneous requests, and is free in another', async () => {
  const body = { name: 'Only once', text: harmless };
  const statuses = (await Promise.all([create(body), create(body)])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, 409]);
  const { body: second } = await create({});
  expect((await call('PUT', `/${second.policyId}`, { name: body.name })).status).toBe(409);
  const elsewhere = await platform.tenancy.call('POST', base, { as: platform.other.admin, body });
  expect(elsewhere.status).toBe(201);
});

describe('a bad text is 400 with the place of the fault', () => {
  const forbid = (condition: string) =>
    `forbid(principal is User, action == Action::"read", resource)\nwhen { ${condition} };`;
  test.each([
    ['broken grammar', 'forbid(principal,\n  action, resource) whn { true };', { line: 2, column: 21 }],
    ['an unknown attribute', forbid('context.adress == ip("10.0.0.1")'), { line: 2, column: 8 }],
    [
      'an attribute behind letters of several bytes',
      'forbid(principal is User, action, resource) when { principal.idpUserId == "žluťoučký 💥" && principal.nope };',
      { line: 1, column: 92 },
    ],
    ['an unknown type', 'forbid(principal is Visitor, action, resource);', { line: 1, column: 21 }],
    ['a wrong type', forbid('context.hour == "9"'), { line: 2, column: 8 }],
    ['an address that is none', forbid('context.address == ip("10.0.0.999")'), { line: 2, column: 27 }],
    [
      'an attribute that messages lack',
      'forbid(principal, action, resource) when { context.hour > 3 && principal.isOperator };',
      { line: 1, column: 64 },
    ],
    ['two policies', `${harmless}\n${harmless}`, { line: 2, column: 1 }],
    ['a template', 'permit(principal == ?principal, action, resource);', { line: 1, column: 21 }],
    ['comments only', '// nothing', { line: 1, column: 1 }],
    ['spaces only', '   ', {}],
    ['text that reads otherwise than it works', forbid('principal.idpUserId == "\u202Eresu"'), { line: 2 }],
  ])('%s', async (_what, text, place) => {
    const answer = await create({ text });
    expect([answer.status, answer.body.error]).toEqual([400, 'the request is not valid']);
    const tried = await call('POST', '/validate', { text });
    expect([tried.status, tried.body.valid]).toEqual([200, false]);
    const [{ message, line, column }] = tried.body.issues;
    expect({ line, column }).toMatchObject(place);
    expect(message).not.toMatch(/policy `|with id/);
    const position = line === undefined ? '' : `line ${line}, column ${column}: `;
    expect(answer.body.issues).toContainEqual({ path: 'text', message: `${position}${message}` });
  });

  test.each([
    ['empty', ''],
    ['10,001 characters', `// ${'x'.repeat(10_000)}`],
    ['with U+0000', `${harmless}\0`],
    ['no text', 7],
    ['missing', undefined],
  ])('%s', async (_what, text) => {
    for (const path of ['', '/validate'])
      expect((await call('POST', path, { name: randomUUID(), text })).status).toBe(400);
  });
});

test.each([
  ['parentheses', `permit(principal, action, resource) when { ${'('.repeat(4900)}true${')'.repeat(4900)} };`],
  ['sets', `permit(principal, action, resource) when { ${'['.repeat(4900)}1${']'.repeat(4900)}.isEmpty() };`],
  ['sums', `permit(principal, action, resource) when { ${'1+'.repeat(4800)}1 == 2 };`],
])(
  'a text that nests %s until Cedar breaks is 400, and policies are decided and checked as before',
  async (_what, text) => {
    expect((await create({ text })).status).toBe(400);
    const { body } = await create({
      text: 'forbid(principal is User, action, resource) when { context.method == "DELETE" };',
    });
    const read = await platform.tenancy.call('GET', `/api/bots/tenants/${platform.acme.tenantId}`, {
      as: platform.acme.admin,
    });
    expect(read.status).toBe(200);
    await call('DELETE', `/${body.policyId}`);
  },
);

test('a text of 10,000 characters is saved and decides', async () => {
  const { acme, tenancy } = platform;
  const head = 'forbid(principal is User, action, resource) when { principal.isOperator || ';
  const text = `${head}${'context.hour < 0 || '.repeat(300)}false };`;
  const { status, body } = await create({ text: text.padEnd(10_000, ' ') });
  expect(status).toBe(201);
  const path = `/api/bots/tenants/${acme.tenantId}`;
  expect((await tenancy.call('GET', path, { as: acme.admin })).status).toBe(200);
  expect((await tenancy.call('GET', path, { as: acme.operator })).status).toBe(403);
  await call('DELETE', `/${body.policyId}`);
});

describe('C-01: a policy that would be too expensive is refused with a remedy', () => {
  const when = (condition: string) => `forbid(principal is Person, action, resource) when { ${condition} };`;
  const bomb = when(`"${'a'.repeat(4900)}" like "*${'a'.repeat(2450)}b*"`);
  const store = (tenantId: string, text: string, count: number, isEnabled = true) =>
    platform.harness.asOwner(
      `insert into tenancy.policies (tenant_id, policy_id, name, text, is_enabled)
       select $1, tenancy.new_id(), 'stored ' || n, $2, $4 from generate_series(1, $3) n`,
      [tenantId, text, count, isEnabled],
    );
  const clear = (tenantId: string) =>
    platform.harness.asOwner(`delete from tenancy.policies where tenant_id = $1`, [tenantId]);

  test.each([
    [
      'a long string',
      when(`principal.name == "${'x'.repeat(501)}"`),
      /^has 501 characters in one string; at most 500/,
    ],
    ['a long pattern', when(`principal.name like "${'x'.repeat(201)}"`), /pattern of "like"; at most 200/],
    ['many wildcards', when(`principal.name like "${'*x'.repeat(9)}"`), /^has 9 wildcards/],
    ['deep brackets', when(`${'('.repeat(60)}true${')'.repeat(60)}`), /levels of brackets; at most 50/],
  ])('%s is 400', async (_what, text, message) => {
    for (const [path, requestBody] of [
      ['', { name: randomUUID(), text }],
      ['/validate', { text }],
    ] as const) {
      const { body } = await call('POST', path, requestBody);
      expect(body.issues).toMatchObject([{ path: 'text', message: expect.stringMatching(message) }]);
    }
  });

  test('too much text or too many patterns of all enabled policies is 422 and names the largest', async () => {
    const { tenantId } = platform.acme;
    await clear(tenantId);
    await store(tenantId, `${harmless} // `.padEnd(10_000, 'x'), 13);
    const large = await create({ name: 'The last', text: `${harmless} // `.padEnd(9000, 'x') });
    expect([large.status, large.body.error]).toEqual([
      422,
      expect.stringMatching(
        /139000 bytes of text in all, and at most 131072 are allowed; "stored \d+" has the most/,
      ),
    ]);
    const off = await create({ enabled: false, text: `${harmless} // `.padEnd(9000, 'x') });
    expect(off.status).toBe(201);
    expect((await call('PUT', `/${off.body.policyId}`, { enabled: true })).status).toBe(422);
    expect((await call('PUT', `/${off.body.policyId}`, { enabled: true, text: harmless })).status).toBe(200);
    await clear(tenantId);
    const pattern = when(`principal.name like "${'x'.repeat(200)}"`);
    await store(tenantId, pattern, 40);
    expect((await create({ text: pattern })).body.error).toMatch(/8200 characters in patterns/);
    expect((await create({ text: harmless })).status).toBe(201);
    await clear(tenantId);
  });

  test('a tenant with policies of before the limits can read, rename, disable and delete them, and adds none', async () => {
    const { acme, tenancy } = platform;
    await clear(acme.tenantId);
    await store(acme.tenantId, bomb.replace('Person', 'User'), 60);
    const { body: stored } = await call('GET');
    const [first, second] = stored;
    const refused = await create({});
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      expect.toSatisfy((status) => status === 400 || status === 422),
      expect.stringMatching(/takes/),
    ]);
    const same = { ...first, name: 'Renamed', description: '' };
    const body = { name: same.name, text: same.text, enabled: same.enabled };
    expect((await call('PUT', `/${first.policyId}`, body)).status).toBe(200);
    expect((await call('PUT', `/${first.policyId}`, { enabled: false })).status).toBe(200);
    expect((await call('PUT', `/${first.policyId}`, { enabled: true })).status).toBe(400);
    expect((await call('DELETE', `/${second.policyId}`)).status).toBe(204);
    const read = () => tenancy.call('GET', `/api/bots/tenants/${acme.tenantId}`, { as: acme.admin });
    expect((await read()).status).toBe(403);
    await clear(acme.tenantId);
    expect((await read()).status).toBe(200);
  });
});

test('hostile names are names and nothing more', async () => {
  for (const name of ['\u202Eeman', '"]}; permit', '<script>', '💥'.repeat(100), '__proto__']) {
    const { status, body } = await create({ name });
    expect([status, body.name]).toEqual([201, name]);
  }
  expect((await create({ name: 'x'.repeat(201) })).status).toBe(400);
  expect((await create({ name: 'a\0b' })).status).toBe(400);
});

test('a tenant has 100 policies at most, also with simultaneous requests', async () => {
  const { tenancy, harness, other } = platform;
  await harness.asOwner(
    `insert into tenancy.policies (tenant_id, policy_id, name, text)
     select $1, tenancy.new_id(), 'p' || n, $2 from generate_series(1, 97) n`,
    [other.tenantId, harmless],
  );
  const body = () => ({ name: randomUUID(), text: harmless });
  const make = () => tenancy.call('POST', base, { as: other.admin, body: body() });
  const statuses = (await Promise.all(Array.from({ length: 6 }, make))).map(({ status }) => status);
  // One was there from another test.
  expect(statuses.sort()).toEqual([201, 201, 409, 409, 409, 409]);
});

test('the built-in set and the schema can be read, and another tenant’s policies cannot', async () => {
  const { body } = await call('GET', '/base');
  expect(body[0]).toEqual({ name: expect.any(String), text: expect.any(String), why: expect.any(String) });
  for (const { text } of body) {
    expect((await call('POST', '/validate', { text })).body).toEqual({
      valid: true,
      issues: [],
      warnings: [],
    });
  }
  expect((await call('GET', '/schema')).body.schema).toContain('action sendMessage');
  const theirs = await platform.tenancy.call('GET', base, { as: platform.other.admin });
  const { policyId } = theirs.body[0];
  for (const [method, sent] of [
    ['GET', undefined],
    ['PUT', { enabled: false }],
    ['PUT', { text: harmless }],
    ['DELETE', undefined],
  ] as const)
    expect([method, (await call(method, `/${policyId}`, sent)).status]).toEqual([method, 404]);
});
