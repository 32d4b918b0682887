import { randomUUID } from 'node:crypto';
import { authorizationChanged } from '@botyard/shared/events/tenancy';
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

test('a name is taken once in a tenant, also when two come at once, and is free in another', async () => {
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
    expect(answer.body.issues[0]).toMatchObject({ path: 'text', message: expect.any(String), ...place });
    expect(answer.body.issues[0].message).not.toMatch(/policy `|with id/);
    const tried = await call('POST', '/validate', { text });
    expect([tried.status, tried.body]).toMatchObject([200, { valid: false, issues: answer.body.issues }]);
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

test('hostile names are names and nothing more', async () => {
  for (const name of ['\u202Eeman', '"]}; permit', '<script>', '💥'.repeat(100), '__proto__']) {
    const { status, body } = await create({ name });
    expect([status, body.name]).toEqual([201, name]);
  }
  expect((await create({ name: 'x'.repeat(201) })).status).toBe(400);
  expect((await create({ name: 'a\0b' })).status).toBe(400);
});

test('a tenant has 100 policies at most, also when many come at once', async () => {
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

test('the built-in set and the schema can be read, and what is another tenant’s cannot', async () => {
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
