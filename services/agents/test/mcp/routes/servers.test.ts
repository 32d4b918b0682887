import { randomBytes } from 'node:crypto';
import { maxToolServers } from '@botyard/contracts/http/integrations-servers';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { authorizationBinding } from '../../../src/mcp/domain/authorization.ts';
import { startAgents } from '../../agents-services.ts';
import { asAdmin, type IntegrationsFixture, openIntegrationsFixture } from '../../integrations-fixture.ts';

const path = '/api/integrations/servers';
const url = 'https://mcp.example.com/mcp';
const secret = 'Bearer canary-of-a-server';
const header = { type: 'header', header: 'Authorization', value: secret };
let fixture: IntegrationsFixture;

beforeAll(async () => {
  fixture = await openIntegrationsFixture();
});
beforeEach(() => fixture.harness.asOwner('delete from agents.tool_servers'));
afterAll(() => fixture?.close());

const add = (body: object) => asAdmin(fixture, 'POST', path, { url, ...body });
const change = (serverId: string, body: object) => asAdmin(fixture, 'PUT', `${path}/${serverId}`, body);

interface SealedRow {
  header_name: string;
  origin: string;
  sealed_value: string;
}

const sealedRow = async (): Promise<SealedRow> => {
  const rows = await fixture.harness.asOwner<SealedRow>('select * from agents.tool_servers');
  return rows[0]!;
};

/** The stored value, opened for a tenant's server, a header and an origin. */
const opened = async (serverId: string, keyring: Keyring, sentTo: Partial<SealedRow> = {}) => {
  const row = { ...(await sealedRow()), ...sentTo };
  const { tenantId } = fixture.acme;
  const { header_name: headerName, origin } = row;
  const binding = authorizationBinding({ tenantId, serverId, headerName, origin });
  return (await keyring.open(row.sealed_value, binding)).reveal();
};

test('a server is added, listed, changed and deleted by the admins of its tenant alone', async () => {
  const { status, body } = await add({ name: 'Tickets' });
  expect(status).toBe(201);
  expect(body).toMatchObject({ url, authorization: { type: 'none' }, grantOf: 'tenant', state: 'unchecked' });
  const own = `${path}/${body.serverId}`;
  expect((await asAdmin(fixture, 'GET', path)).body).toEqual([body]);
  expect((await asAdmin(fixture, 'GET', path, undefined, fixture.other)).body).toEqual([]);
  for (const [method, sent] of [['GET'], ['PUT', { name: 'Mine' }], ['DELETE']] as const)
    expect((await asAdmin(fixture, method, own, sent, fixture.other)).status).toBe(404);
  const changed = await change(body.serverId, { name: 'Issues', timeoutMs: 5000 });
  expect(changed.body).toMatchObject({ name: 'Issues', timeoutMs: 5000, url });
  expect((await asAdmin(fixture, 'GET', own)).body).toEqual(changed.body);
  expect((await asAdmin(fixture, 'DELETE', own)).status).toBe(204);
  expect((await asAdmin(fixture, 'GET', own)).status).toBe(404);
});

test('the value of a header is stored sealed, and no answer has it', async () => {
  const added = await add({ name: 'Tickets', authorization: header });
  const listed = await asAdmin(fixture, 'GET', path);
  for (const { text } of [added, listed]) expect(text).not.toContain('canary');
  expect(added.body.authorization).toEqual({ type: 'header', header: 'Authorization' });
  expect(JSON.stringify(await sealedRow())).not.toContain('canary');
  const keyring = Keyring.parse(fixture.harness.secretsKeys);
  expect(await opened(added.body.serverId, keyring)).toBe(secret);
  for (const elsewhere of [{ origin: 'https://else.example' }, { header_name: 'X-Other' }])
    await expect(opened(added.body.serverId, keyring, elsewhere)).rejects.toThrow(/belongs to something/);
});

test('an authorization never moves to another origin', async () => {
  const { serverId } = (await add({ name: 'Tickets', authorization: header })).body;
  const elsewhere = 'https://else.example/mcp';
  expect((await change(serverId, { url: elsewhere })).status).toBe(409);
  expect((await change(serverId, { url: 'https://mcp.example.com/v2' })).status).toBe(200);
  const moved = await change(serverId, { url: elsewhere, authorization: { ...header, value: 'another' } });
  expect(moved.body).toMatchObject({ url: elsewhere, state: 'unchecked' });
  const keyring = Keyring.parse(fixture.harness.secretsKeys);
  expect(await opened(serverId, keyring)).toBe('another');
  expect((await change(serverId, { authorization: { type: 'none' } })).status).toBe(200);
  expect((await sealedRow()).sealed_value).toBe(null);
});

test('names are unique in a tenant, and a tenant has a bounded number of servers', async () => {
  const names = Array.from({ length: maxToolServers + 5 }, (_, index) => `Server ${index}`);
  const statuses = (await Promise.all(names.map((name) => add({ name })))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(maxToolServers);
  expect(statuses.filter((status) => status === 409)).toHaveLength(5);
  const [{ serverId }, { name }] = (await asAdmin(fixture, 'GET', path)).body;
  expect((await change(serverId, { name })).status).toBe(409);
  const ofOther = await asAdmin(fixture, 'POST', path, { name, url }, fixture.other);
  expect(ofOther.status).toBe(201);
});

test('addresses that may not be called are 422, and headers of the protocol 400', async () => {
  for (const address of ['http://mcp.example.com/', 'https://169.254.169.254/', 'https://a:b@example.com/'])
    expect([address, (await add({ name: 'x', url: address })).status]).toEqual([address, 422]);
  for (const name of ['Host', 'mcp-session-id', 'Content-Length', 'Cookie', 'X y', 'X\r\nY'])
    expect((await add({ name: 'x', authorization: { ...header, header: name } })).status).toBe(400);
  for (const value of ['', ' a', 'a\r\nHost: b', 'ä', 'a'.repeat(4001)])
    expect((await add({ name: 'x', authorization: { ...header, value } })).status).toBe(400);
  expect((await asAdmin(fixture, 'GET', path)).body).toEqual([]);
});

test('S-03: after a rotation of the keys a server is authorized without the old one', async () => {
  const { serverId } = (await add({ name: 'Tickets', authorization: header })).body;
  const added = `added:${randomBytes(32).toString('base64url')}`;
  const both = `${added},${fixture.harness.secretsKeys}`;
  const rotated = await startAgents(fixture, { ...fixture.env, SECRETS_KEYS: both });
  const { sealedPrefix } = Keyring.parse(added);
  await eventually('it is sealed anew', async () =>
    (await sealedRow()).sealed_value.startsWith(sealedPrefix),
  );
  await rotated.stop();
  expect(await opened(serverId, Keyring.parse(added))).toBe(secret);
});
