import { randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import { user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callOk, openPlatform, type Platform } from '../../whole-platform.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform?.close());

const asAdmin = (method: string, path: string, body?: unknown) =>
  platform.tenancy.call(method, path, { as: platform.acme.admin, body });
const newAddress = () => `anna-${randomUUID()}@people.example`;
const invite = (body: object) =>
  asAdmin('POST', `/api/bots/tenants/${platform.acme.tenantId}/invitations`, {
    email: newAddress(),
    ...body,
  });
const accept = (as: Identity, invitationId: string) =>
  platform.tenancy.call('POST', `/api/auth/invitations/${invitationId}/accept`, { as });

async function newBot(name: string): Promise<string> {
  const { status, body } = await asAdmin('POST', `/api/bots/${platform.acme.tenantId}/bots`, { name });
  expect(status).toBe(201);
  return body.botId;
}

const deleteBot = (botId: string) =>
  callOk(platform.tenancy, 'DELETE', `/api/bots/${platform.acme.tenantId}/${botId}`, {
    as: platform.acme.admin,
  });

/** Somebody whom the identity provider knows by an address, signed in. */
async function signedIn(email: string): Promise<Identity> {
  const { id } = platform.idp.addUser({ email });
  const as = user(id, { email });
  await callOk(platform.tenancy, 'GET', '/api/current-user', { as });
  return as;
}

test('an invited responder answers the named bots that still exist, and becomes no member', async () => {
  const { acme, tenancy } = platform;
  const [kept, gone] = [await newBot('Kept'), await newBot('Gone')];
  const bots = [kept, gone];
  const address = newAddress();
  const made = await invite({ email: address, role: 'responder', botIds: bots });
  expect([made.status, made.body]).toMatchObject([201, { role: 'responder', botIds: bots }]);
  await deleteBot(gone);
  const anna = await signedIn(address);
  expect((await accept(anna, made.body.invitationId)).body).toMatchObject({ role: 'responder' });
  expect((await accept(anna, made.body.invitationId)).status).toBe(200);
  const me = await callOk(tenancy, 'GET', '/api/current-user', { as: anna });
  expect(me).toMatchObject({ tenants: [], responds: [{ tenantId: acme.tenantId, botId: kept }] });
  const answers = { subject: `user:${me.userId}`, relation: 'responder', object: `bot:${kept}` };
  expect((await asAdmin('GET', '/api/authorization-edges?relation=responder')).body).toContainEqual(
    expect.objectContaining(answers),
  );
  // The same person may be invited to further bots, and to the same one again.
  const again = await invite({ email: address, role: 'responder', botIds: [kept] });
  expect((await accept(anna, again.body.invitationId)).status).toBe(200);
});

test('a responder is invited to bots of the tenant only, to at least one, and not once they are all gone', async () => {
  expect((await invite({ role: 'responder' })).body).toMatchObject({ issues: [{ path: 'botIds' }] });
  const botId = await newBot('Short-lived');
  expect((await invite({ role: 'member', botIds: [botId] })).body).toMatchObject({
    issues: [{ path: 'botIds' }],
  });
  const foreign = await invite({ role: 'responder', botIds: [botId, randomUUID()] });
  expect([foreign.status, foreign.body]).toEqual([404, { error: 'bot not found' }]);
  const address = newAddress();
  const { invitationId } = (await invite({ email: address, role: 'responder', botIds: [botId] })).body;
  await deleteBot(botId);
  const as = await signedIn(address);
  const refused = await accept(as, invitationId);
  expect([refused.status, refused.body.error]).toEqual([
    409,
    'the bots of this invitation were deleted: ask for another one',
  ]);
});

test('an invitation to several bots counts each of them against the limit of relationships', async () => {
  const { acme, tenancy } = platform;
  const botIds = [await newBot('First'), await newBot('Second')];
  const address = newAddress();
  const { invitationId } = (await invite({ email: address, role: 'responder', botIds })).body;
  const limitEdges = (edges: number | null) =>
    callOk(tenancy, 'PUT', `/api/bots/superadmin/tenants/${acme.tenantId}/limits`, {
      as: acme.operator,
      body: { edges },
    });
  const { edges } = await limitEdges(null);
  await limitEdges(edges.used + 1);
  const as = await signedIn(address);
  expect((await accept(as, invitationId)).status).toBe(409);
  await limitEdges(edges.used + 2);
  expect((await accept(as, invitationId)).status).toBe(200);
  await limitEdges(null);
});
