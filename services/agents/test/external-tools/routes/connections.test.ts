import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  asAdmin,
  connectAccount,
  type IntegrationsFixture,
  openIntegrationsFixture,
} from '../../integrations-fixture.ts';

let fixture: IntegrationsFixture;
beforeAll(async () => {
  fixture = await openIntegrationsFixture();
});
afterAll(() => fixture?.close());
afterEach(() => fixture.tools.clearFaults());

const connect = (body: object = { toolkit: 'mail' }, people = fixture.acme) =>
  asAdmin(fixture, 'POST', '/api/tools/connect', body, people);
const verify = (body: object, people = fixture.acme) =>
  asAdmin(fixture, 'POST', '/api/tools/verify', body, people);
const lastAccount = () => [...fixture.tools.accounts.values()].slice(-1)[0]!;

test('a connection is begun, waits for the person, and is confirmed once by its state', async () => {
  const begun = await connect({ toolkit: 'mail', redirect: 'https://app.example.com/done?x=1' });
  expect([begun.status, begun.body.redirectUrl]).toEqual([201, expect.stringMatching(/^http/)]);
  const { state, connectionId } = begun.body;
  const account = lastAccount();
  expect(new URL(account.callbackUrl ?? '').searchParams.get('state')).toBe(state);
  expect(account.userId).toContain(fixture.acme.tenantId);
  expect((await verify({ state })).body).toMatchObject({ connectionId, status: 'pending' });
  fixture.tools.settle(account.id);
  const confirmed = await Promise.all(Array.from({ length: 5 }, () => verify({ state })));
  expect(confirmed.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  expect((await verify({ state })).status).toBe(409);
  expect((await verify({ connectionId })).body).toMatchObject({ status: 'active', toolkit: 'mail' });
  expect((await verify({ connectionId: account.id })).body).toMatchObject({ connectionId, status: 'active' });
});

test('a state is of one person in one tenant', async () => {
  const { state, connectionId } = (await connect()).body;
  fixture.tools.settle(lastAccount().id);
  for (const body of [{ state }, { connectionId }, { connectionId: lastAccount().id }])
    expect((await verify(body, fixture.other)).status).toBe(404);
  expect((await verify({ state: 'x'.repeat(43) })).status).toBe(404);
  expect((await verify({})).status).toBe(400);
  expect((await verify({ state, connectionId })).status).toBe(400);
  expect((await verify({ state })).status).toBe(200);
});

test("another person's account is not confirmed, for any caller who presents its state", async () => {
  const { state } = (await connect()).body;
  const account = fixture.tools.settle(lastAccount().id);
  account.userId = `botyard_${fixture.other.tenantId}_somebody`;
  const refused = await verify({ state });
  expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('did not connect')]);
  const connections = (await asAdmin(fixture, 'GET', '/api/integrations/connections?status=active')).body;
  expect(connections.map(({ connectionId }: { connectionId: string }) => connectionId)).not.toContain(
    (await connect()).body.connectionId,
  );
});

test.each(['FAILED', 'EXPIRED'])('%s is final', async (status) => {
  const { state, connectionId } = (await connect()).body;
  const { id } = fixture.tools.settle(lastAccount().id, status);
  expect((await verify({ state })).body).toMatchObject({ status: status.toLowerCase() });
  fixture.tools.settle(id);
  expect((await verify({ connectionId })).body).toMatchObject({ status: status.toLowerCase() });
});

test('an authorization that took too long is begun again', async () => {
  const { state, connectionId } = (await connect()).body;
  fixture.tools.settle(lastAccount().id);
  await fixture.harness.asOwner(
    `update agents.tool_connections set expires_at = now() - interval '1 s' where connection_id = $1`,
    [connectionId],
  );
  expect((await verify({ state })).status).toBe(409);
});

test('connections are listed, read and deleted within their tenant; none has a credential, and none is kept', async () => {
  const connectionId = await connectAccount(fixture, 'mail');
  const account = lastAccount();
  const path = `/api/integrations/connections/${connectionId}`;
  const shown = await asAdmin(fixture, 'GET', path);
  expect(shown.body).toMatchObject({ connectionId, status: 'active', verifiedAt: expect.any(String) });
  const listed = await asAdmin(fixture, 'GET', '/api/integrations/connections');
  expect(listed.body[0]).toEqual(shown.body);
  expect(
    (await asAdmin(fixture, 'GET', '/api/integrations/connections', undefined, fixture.other)).body,
  ).toEqual([]);
  for (const method of ['GET', 'DELETE'])
    expect((await asAdmin(fixture, method, path, undefined, fixture.other)).status).toBe(404);
  const rows = await fixture.harness.asOwner('select to_jsonb(c) as row from agents.tool_connections c');
  const { credential, apiKey } = fixture.tools;
  for (const text of [shown.text, listed.text, JSON.stringify(rows), fixture.harness.logLines.join('')]) {
    expect(text).not.toContain(credential);
    expect(text).not.toContain(apiKey);
  }
  expect([shown.text, listed.text].join()).not.toContain(account.id);
  expect((await asAdmin(fixture, 'DELETE', path)).status).toBe(204);
  expect(fixture.tools.accounts.has(account.id)).toBe(false);
  expect((await asAdmin(fixture, 'DELETE', path)).status).toBe(404);
});

test('toolkits are listed and shown with their tools, as far as platform and operator allow', async () => {
  const list = async () =>
    (await asAdmin(fixture, 'GET', '/api/integrations/toolkits')).body.map(
      ({ name }: { name: string }) => name,
    );
  expect(await list()).toEqual(['mail', 'calendar', 'weather']);
  const shown = await asAdmin(fixture, 'GET', '/api/integrations/toolkits/mail');
  expect(shown.body.tools).toContainEqual(
    expect.objectContaining({ tool: 'MAIL_SEND', isDestructive: true }),
  );
  expect((await asAdmin(fixture, 'GET', '/api/integrations/toolkits/nothing')).status).toBe(404);
  expect((await asAdmin(fixture, 'GET', '/api/integrations/toolkits/..%2fx')).status).toBe(400);
  const operate = (path: string, body: object) =>
    fixture.agents.call('PUT', `/api/admin/integrations${path}`, { as: fixture.acme.operator, body });
  expect((await operate('/toolkits', { toolkits: ['mail', 'weather'] })).status).toBe(200);
  expect(await list()).toEqual(['mail', 'weather']);
  expect((await operate(`/tenants/${fixture.acme.tenantId}`, { toolkits: ['weather'] })).status).toBe(200);
  expect(await list()).toEqual(['weather']);
  expect((await connect()).status).toBe(404);
  expect((await asAdmin(fixture, 'GET', '/api/integrations/toolkits/mail')).status).toBe(404);
  await operate(`/tenants/${fixture.acme.tenantId}`, { enabled: false });
  expect(await list()).toEqual([]);
  await operate(`/tenants/${fixture.acme.tenantId}`, { enabled: true, toolkits: null });
  await operate('/toolkits', { toolkits: null });
  expect(await list()).toHaveLength(3);
});

const huge = JSON.stringify({ items: [], padding: 'x'.repeat(2 * 1024 * 1024) });
const hostile: [what: string, fault: Parameters<IntegrationsFixture['tools']['fail']>[1], status: number][] =
  [
    ['a huge answer', { status: 200, body: huge }, 503],
    ['another shape', { status: 200, body: { items: 'all of them' } }, 503],
    ['no JSON', { status: 200, body: '<html>' }, 503],
    ['a redirect', { status: 302, headers: { location: 'http://169.254.169.254/' } }, 503],
    ['its own trouble', { status: 500, body: { error: { message: 'key sk-live-0123456789 is down' } } }, 503],
    ['a wrong key of ours', { status: 401, body: { error: { message: 'Invalid API key' } } }, 503],
    ['too many calls', { status: 429, headers: { 'retry-after': '7' } }, 503],
    ['a refusal', { status: 400, body: { error: { message: 'no' } } }, 502],
    ['a cut connection', { cut: 'before' }, 503],
  ];

test.each(hostile)('%s of the provider is an answer of ours without its words', async (_what, fault, due) => {
  fixture.tools.fail('GET toolkits', fault);
  const { status, text, headers } = await asAdmin(fixture, 'GET', '/api/integrations/toolkits');
  expect([status, text]).toEqual([due, expect.stringMatching(/^\{"error":"the tool provider [a-z: ]+"\}$/)]);
  if (JSON.stringify(fault).includes('retry-after')) expect(headers.get('retry-after')).toBe('7');
});
