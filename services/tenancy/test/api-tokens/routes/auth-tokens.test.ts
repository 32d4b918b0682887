import { createHash, randomUUID } from 'node:crypto';
import { authorizationChanged } from '@botyard/contracts/events/tenancy';
import { apiTokenPattern, maxApiTokens } from '@botyard/contracts/http/auth-tokens';
import type { Identity, TokenIdentity } from '@botyard/contracts/identity';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApplier, userDeleted } from '../../identity-changes.ts';
import { callOk, emitted, newPerson, openPlatform, type Platform, userIdOf } from '../../whole-platform.ts';

let platform: Platform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform?.close());

const base = '/api/auth/tokens';
const call = (method: string, path = '', body?: unknown, as: Identity = platform.acme.admin) =>
  platform.tenancy.call(method, `${base}${path}`, {
    ...{ as, body },
    headers: { 'x-tenant-id': platform.acme.tenantId },
  });
const create = (body: object = {}, as?: Identity) =>
  call('POST', '', { name: 'Shop', role: 'admin', ...body }, as);
const inAnHour = () => new Date(Date.now() + 3600_000).toISOString();

/** A separate tenant, for changes that would disturb other tests. */
async function newTenant(as = platform.acme.admin): Promise<string> {
  const { tenantId } = await callOk(platform.tenancy, 'POST', '/api/bots/tenants', {
    as,
    body: { name: 'T' },
  });
  return tenantId;
}
const inTenant = async (tenantId: string, body: object, as = platform.acme.admin) =>
  await platform.tenancy.call('POST', base, { as, body, headers: { 'x-tenant-id': tenantId } });

/** A program's identity, as the gateway signs it. */
async function program(role: 'member' | 'admin', tenantId = platform.acme.tenantId): Promise<TokenIdentity> {
  const { status, body } = await inTenant(tenantId, { name: 'Shop', role });
  expect(status).toBe(201);
  return { kind: 'token', tokenId: body.tokenId, tenantId };
}

test('K-04: a token is shown once, and afterwards only by its last 4 characters', async () => {
  const expiresAt = inAnHour();
  const { status, body } = await create({ name: ' Shop backend ', role: 'member', expiresAt });
  expect(status).toBe(201);
  const { token, ...listed } = body;
  expect(token).toMatch(apiTokenPattern);
  expect(listed).toEqual({
    tokenId: expect.any(String),
    name: 'Shop backend',
    role: 'member',
    maskedToken: `…${token.slice(-4)}`,
    createdBy: await userIdOf(platform, platform.acme.admin),
    creatorRole: 'admin',
    createdAt: expect.stringMatching(/Z$/),
    lastUsedAt: null,
    expiresAt,
  });
  const { body: list, text } = await call('GET');
  expect(list[0]).toEqual(listed);
  expect(text).not.toContain(token);
});

test('K-04: only the hash of a token is kept, and no log line has it', async () => {
  const { token, tokenId } = (await create()).body;
  const rows = await platform.harness.asOwner<{ hash: string; row: string }>(
    'select token_hash as hash, t::text as row from tenancy.api_tokens t where token_id = $1',
    [tokenId],
  );
  expect(rows.map(({ hash }) => hash)).toEqual([createHash('sha256').update(token).digest('hex')]);
  const secret = token.slice(5, -4);
  expect(rows.some(({ row }) => row.includes(secret))).toBe(false);
  expect(platform.harness.logLines.filter((line) => line.includes(secret))).toEqual([]);
});

test("creating and revoking a token is in the audit log, and its program's actions there name the token", async () => {
  const token = await program('admin');
  const path = `/api/bots/tenants/${token.tenantId}`;
  expect((await platform.tenancy.call('GET', path, { as: token })).status).toBe(200);
  expect((await call('DELETE', `/${token.tokenId}`)).status).toBe(204);
  const lines = platform.harness.logLines.map((line) => JSON.parse(line));
  const audited = lines.filter(({ subject }) => subject === token.tokenId).map(({ audit }) => audit);
  expect(audited).toEqual(['API token created', 'API token revoked']);
  const byProgram = lines.filter(({ principalId }) => principalId === `token:${token.tokenId}`);
  expect(byProgram.some(({ msg }) => msg === 'request')).toBe(true);
});

test.each([
  ['no name', { name: '' }],
  ['an unknown role', { role: 'operator' }],
  ['an end that is over', { expiresAt: '2020-01-01T00:00:00Z' }],
  ['an end that is no moment', { expiresAt: 'tomorrow' }],
])('%s is 400, and makes nothing', async (_name, body) => {
  const before = (await call('GET')).body.length;
  const { status, body: answer } = await create(body);
  expect(status).toBe(400);
  expect(answer.issues).toEqual([expect.objectContaining({ path: Object.keys(body)[0] })]);
  expect((await call('GET')).body.length).toBe(before);
});

test('a token never expires if its end is omitted or null', async () => {
  expect((await create({ expiresAt: null })).body.expiresAt).toBeNull();
  expect((await create()).body.expiresAt).toBeNull();
});

test('a tenant has 50 tokens at most, also with simultaneous requests', async () => {
  const tenantId = await newTenant();
  const statuses = await Promise.all(
    Array.from(
      { length: maxApiTokens + 5 },
      async () => (await inTenant(tenantId, { name: 'x', role: 'member' })).status,
    ),
  );
  expect(statuses.filter((status) => status === 201)).toHaveLength(maxApiTokens);
  const { status, body } = await inTenant(tenantId, { name: 'x', role: 'member' });
  expect([status, body.error]).toEqual([409, expect.stringContaining('at most 50 API tokens')]);
});

test('the platform itself has no tokens: no program is an operator', async () => {
  const as = { ...platform.acme.operator, sessionId: randomUUID() } as Identity;
  const body = { tenantId: platformTenantId };
  const selected = await platform.tenancy.call('POST', '/api/tenant/select', { as, body });
  expect(selected.status).toBe(200);
  const token = { name: 'x', role: 'admin' };
  const { status } = await platform.tenancy.call('POST', base, { as, body: token });
  expect([403, 404]).toContain(status);
  expect(
    await platform.harness.asOwner('select from tenancy.api_tokens where tenant_id = $1', [platformTenantId]),
  ).toEqual([]);
});

test('a program reaches only its tenant, with the role of its token, and identifies itself as a program', async () => {
  const [reader, writer] = [await program('member'), await program('admin')];
  const { tenantId } = platform.acme;
  for (const [as, role] of [
    [reader, 'member'],
    [writer, 'admin'],
  ] as const) {
    expect(await callOk(platform.tenancy, 'GET', '/api/current-user', { as })).toEqual({
      userId: as.tokenId,
      idpUserId: `token:${as.tokenId}`,
      email: null,
      isOperator: false,
      activeTenantId: tenantId,
      tenants: [{ tenantId, role }],
    });
  }
  const bots = async (as: Identity, of = tenantId) =>
    (await platform.tenancy.call('POST', `/api/bots/${of}/bots`, { as, body: { name: 'Made by a program' } }))
      .status;
  expect(await bots(writer)).toBe(201);
  expect(await bots(reader)).toBe(403);
  expect(await bots(writer, platform.other.tenantId)).toBe(403);
});

test('an identity that names another tenant than that of the token is anonymous', async () => {
  const as = { ...(await program('admin')), tenantId: platform.other.tenantId };
  expect((await platform.tenancy.call('GET', '/api/current-user', { as })).status).toBe(401);
});

test('K-05: a member token gains nothing: it makes no token, no member, no tie and no policy', async () => {
  for (const role of ['member', 'admin'] as const) {
    const as = await program(role);
    const { tenantId } = as;
    const { userId } = await newPerson(platform);
    const tries: [string, string, object?][] = [
      ['POST', base, { name: 'x', role: 'admin' }],
      ['GET', base],
      ['DELETE', `${base}/${as.tokenId}`],
      ['POST', `/api/bots/tenants/${tenantId}/members`, { userId, role: 'admin' }],
      [
        'POST',
        '/api/authorization-edges',
        { subject: `user:${userId}`, relation: 'admin', object: `tenant:${tenantId}` },
      ],
      ['POST', '/api/auth/policies', { name: 'x', text: 'permit(principal, action, resource);' }],
      ['POST', '/api/tenant/select', { tenantId }],
      ['POST', '/api/bots/tenants', { name: 'x' }],
      ['DELETE', `/api/bots/tenants/${tenantId}`],
      ['GET', '/api/system/info'],
    ];
    for (const [method, path, body] of tries)
      expect([path, (await platform.tenancy.call(method, path, { as, body })).status]).toEqual([path, 403]);
  }
});

test('K-02: a revoked token is anonymous from the response on, in every process at the announcement', async () => {
  const second = await platform.harness.startProcess('tenancy', {
    MESSENGER_API_URL: platform.messenger.url,
    IDP_API_URL: platform.idp.url,
  });
  const as = await program('admin');
  const path = `/api/bots/tenants/${as.tenantId}`;
  const status = async (service: Platform['tenancy']) => (await service.call('GET', path, { as })).status;
  await eventually('both know it', async () => (await status(second)) === 200);
  expect(await status(platform.tenancy)).toBe(200);
  const before = (await emitted(platform, authorizationChanged)).length;
  expect((await call('DELETE', `/${as.tokenId}`)).status).toBe(204);
  expect(await status(platform.tenancy)).toBe(401);
  await eventually('the other refuses', async () => (await status(second)) === 401, beforeItExpires);
  expect((await emitted(platform, authorizationChanged)).length).toBe(before + 1);
  expect((await call('DELETE', `/${as.tokenId}`)).status).toBe(404);
  await second.stop();
});

test('an expired token is anonymous, and stays listed until it is revoked', async () => {
  const as = await program('admin');
  await platform.harness.asOwner('update tenancy.api_tokens set expires_at = now() where token_id = $1', [
    as.tokenId,
  ]);
  expect((await platform.tenancy.call('GET', '/api/current-user', { as })).status).toBe(401);
  expect((await call('GET')).body.map(({ tokenId }: { tokenId: string }) => tokenId)).toContain(as.tokenId);
});

test('tokens are deleted with their tenant', async () => {
  const tenantId = await newTenant();
  const as = await program('admin', tenantId);
  await callOk(platform.tenancy, 'DELETE', `/api/bots/tenants/${tenantId}`, { as: platform.acme.admin });
  expect((await platform.tenancy.call('GET', '/api/current-user', { as })).status).toBe(401);
  const rows = await platform.harness.asOwner('select from tenancy.api_tokens where tenant_id = $1', [
    tenantId,
  ]);
  expect(rows).toEqual([]);
});

test("a tenant's policies bind its programs, and can distinguish them from people", async () => {
  const tenantId = await newTenant();
  const as = await program('admin', tenantId);
  const read = async (who: Identity) =>
    (await platform.tenancy.call('GET', `/api/bots/tenants/${tenantId}`, { as: who })).status;
  expect(await read(as)).toBe(200);
  const text = 'forbid(principal is User, action, resource) when { principal.isToken };';
  const policy = await platform.tenancy.call('POST', '/api/auth/policies', {
    ...{ as: platform.acme.admin, body: { name: 'No programs', text } },
    headers: { 'x-tenant-id': tenantId },
  });
  expect(policy.status).toBe(201);
  expect([await read(as), await read(platform.acme.admin)]).toEqual([403, 200]);
});

test('K-06: a token outlives the membership of who made it, which its tenant can see, and forgets who it was', async () => {
  const { as, userId, idpUserId } = await newPerson(platform);
  const { tenantId, admin } = platform.acme;
  const members = `/api/bots/tenants/${tenantId}/members`;
  await callOk(platform.tenancy, 'POST', members, { as: admin, body: { userId, role: 'admin' } });
  const { tokenId } = (await create({}, as)).body;
  const shown = async () => {
    const { createdBy, creatorRole } = (await call('GET')).body.find(
      (one: { tokenId: string }) => one.tokenId === tokenId,
    );
    return [createdBy, creatorRole];
  };
  expect(await shown()).toEqual([userId, 'admin']);
  await callOk(platform.tenancy, 'DELETE', `${members}/${userId}`, { as: admin });
  expect(await shown()).toEqual([userId, null]);
  const program: Identity = { kind: 'token', tokenId, tenantId };
  const isGood = async () =>
    (await platform.tenancy.call('GET', '/api/current-user', { as: program })).status === 200;
  expect(await isGood()).toBe(true);
  const { apply } = await openApplier(platform.harness);
  await apply(userDeleted(idpUserId, Date.now()));
  expect(await shown()).toEqual([null, null]);
  expect(await isGood()).toBe(true);
});
