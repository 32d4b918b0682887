import { erasePerson } from '@botyard/contracts/events/agents-requests';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { ask } from '@botyard/shared/bus/requests';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { eventually } from '@botyard/testing/eventually';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openGrant } from '../../../src/mcp/domain/grants.ts';
import { asAdmin, decide, ended, park } from '../../integrations-fixture.ts';
import { allowAll } from '../named-server.ts';
import {
  ada,
  addOwnAccounts,
  bob,
  chatOf,
  connect,
  followLink,
  grantsOf,
  lastToken,
  linkIn,
  newestToken,
  type OwnAccounts,
  openLink,
  said,
  sealedGrantOf,
} from '../own-accounts-fixture.ts';
import { comeBack, openSignInFixture, type SignInFixture, serversPath } from '../sign-in-fixture.ts';

let fixture: SignInFixture;
let own: OwnAccounts;
beforeAll(async () => {
  fixture = await openSignInFixture();
});
beforeEach(async () => {
  own = await addOwnAccounts(fixture);
});
afterAll(() => fixture?.close());

const callsSince = (before: number) => fixture.server.calls.length - before;

test('an approved call uses the account of the person who asked', async () => {
  await allowAll(fixture, own.serverId, { readsOnly: false });
  const chat = chatOf(fixture, own);
  await connect(fixture, chat);
  const tokenOfAda = newestToken(fixture);
  await connect(fixture, chatOf(fixture, own), bob);
  const { ticketId } = await park(fixture, own.bot, Object.assign(chat, { say: saying(chat) }));
  await decide(fixture, ticketId, 'approve');
  expect(await ended(fixture, ticketId)).toMatchObject({ status: 'executed' });
  expect(lastToken(fixture)).toBe(tokenOfAda);
});

test('an approved call is refused after the person disconnected their account, and uses no other account', async () => {
  await allowAll(fixture, own.serverId, { readsOnly: false });
  const chat = chatOf(fixture, own);
  await connect(fixture, chat);
  await connect(fixture, chatOf(fixture, own), bob);
  const before = fixture.server.calls.length;
  const { ticketId } = await park(fixture, own.bot, Object.assign(chat, { say: saying(chat) }));
  await said(chatOf(fixture, own), '/disconnect');
  await decide(fixture, ticketId, 'approve');
  expect(await ended(fixture, ticketId)).toMatchObject({ status: 'refused' });
  expect(callsSince(before)).toBe(0);
});

/** Says everything as Ada. */
function saying(chat: ReturnType<typeof chatOf>) {
  const say = chat.say.bind(chat);
  return (text: string) => say(text, ada);
}

test('/disconnect ends all accounts of the person, and of nobody else', async () => {
  const [chat, chatOfBob] = [chatOf(fixture, own), chatOf(fixture, own)];
  await connect(fixture, chat);
  await connect(fixture, chatOfBob, bob);
  expect(await said(chat, '/disconnect')).toContain('no longer have access');
  expect(await grantsOf(fixture)).toMatchObject([{ person_name: 'Bob' }]);
  await eventually('its tokens are revoked', async () => fixture.authority.revoked.length === 1);
});

test('deleting the server revokes the accounts of all people', async () => {
  await connect(fixture, chatOf(fixture, own));
  await asAdmin(fixture, 'PUT', `/api/definitions/agents/${own.bot.agentIds[0]}`, { serverIds: [] });
  expect((await asAdmin(fixture, 'DELETE', `${serversPath}/${own.serverId}`)).status).toBe(204);
  await eventually('both are revoked', async () => fixture.authority.revoked.length === 2);
});

test('tokens of another issuer are not used', async () => {
  const chat = chatOf(fixture, own);
  await connect(fixture, chat);
  const change = 'update agents.server_grants set issuer = $1 where person_id is not null';
  await fixture.harness.asOwner(change, [fixture.stranger.issuer]);
  const before = fixture.server.calls.length;
  expect(linkIn(await said(chat, 'do it'))).toBeDefined();
  expect(callsSince(before)).toBe(0);
});

test('a sealed grant opens for its own tenant, server, person and issuer, and for no other', async () => {
  await connect(fixture, chatOf(fixture, own));
  const keyring = Keyring.parse(fixture.harness.secretsKeys);
  const row = await sealedGrantOf(fixture);
  expect(`Bearer ${(await openGrant(keyring, row)).tokens.access_token}`).toBe(newestToken(fixture));
  for (const change of [
    { tenantId: fixture.other.tenantId },
    { serverId: uuidv7() },
    { personId: uuidv7() },
    { personId: null },
    { grantId: uuidv7() },
    { issuer: fixture.stranger.issuer },
  ])
    await expect(openGrant(keyring, { ...row, ...change }), JSON.stringify(change)).rejects.toThrow();
});

test("a grant whose row is moved to another tenant's server of the same identifier is not used there", async () => {
  const { acme, other } = fixture;
  await fixture.harness.asOwner(
    `insert into agents.tool_servers
     select (jsonb_populate_record(one, jsonb_build_object('tenant_id', $2::text))).*
     from agents.tool_servers one where tenant_id = $1`,
    [acme.tenantId, other.tenantId],
  );
  const path = `${serversPath}/${own.serverId}/refresh`;
  const refreshed = () => asAdmin(fixture, 'POST', path, undefined, other);
  expect((await refreshed()).body).toMatchObject({ state: 'needs_authorization' });
  await fixture.harness.asOwner('update agents.server_grants set tenant_id = $1', [other.tenantId]);
  const before = fixture.server.received.length;
  expect((await refreshed()).status).toBe(500);
  expect(fixture.server.received).toHaveLength(before);
});

test('an admin of another tenant neither sees nor disconnects the people of a tenant', async () => {
  await connect(fixture, chatOf(fixture, own));
  const body = {
    name: 'Theirs',
    url: fixture.server.url,
    authorization: { type: 'oauth' },
    grantOf: 'person',
  };
  const { serverId } = (await asAdmin(fixture, 'POST', serversPath, body, fixture.other)).body;
  const { personId } = await sealedGrantOf(fixture);
  const people = `${serversPath}/${serverId}/people`;
  expect((await asAdmin(fixture, 'GET', people, undefined, fixture.other)).body).toEqual([]);
  const path = `${people}/${personId}`;
  expect((await asAdmin(fixture, 'DELETE', path, undefined, fixture.other)).status).toBe(404);
  expect(await grantsOf(fixture)).toHaveLength(1);
});

test('tokens of a sign-in are revoked when a newer link ends it before it is confirmed', async () => {
  const chat = chatOf(fixture, own);
  await followLink(fixture, linkIn(await said(chat, 'do it')) ?? '');
  await said(chat, 'do it');
  await eventually('its tokens are revoked', async () => fixture.authority.revoked.length === 1);
});

test('tokens of a sign-in are revoked when its link ended before the person came back', async () => {
  const chat = chatOf(fixture, own);
  const { href, cookie } = await openLink(fixture, linkIn(await said(chat, 'do it')) ?? '');
  await said(chat, 'do it');
  expect((await comeBack(fixture, fixture.authority.consent(href), cookie)).status).toBe(410);
  await eventually('its tokens are revoked', async () => fixture.authority.revoked.length === 1);
});

test('an erased person has no account and no link any more, and the receipt says so', async () => {
  const { tenantId } = fixture.acme;
  const account = { platform: 'messenger' as const, platformUserId: '7001' };
  await connect(fixture, chatOf(fixture, own));
  await connect(fixture, chatOf(fixture, own), bob);
  const person = { tenantId, personIds: [personIdOfAccount(tenantId, account)], accounts: [account] };
  const bus = await fixture.harness.busAs('tenancy');
  const erasedBefore = new Date().toISOString();
  const receipts: unknown[] = [];
  await eventually('the erasure is done', async () => {
    const erased = await ask(bus, erasePerson, { ...person, erasedBefore });
    receipts.push(...erased.receipts);
    return erased.isDone;
  });
  expect(receipts).toContainEqual({ store: 'agents.server_grants', erased: 1 });
  expect(await grantsOf(fixture)).toMatchObject([{ person_name: 'Bob' }]);
  await eventually('its tokens are revoked', async () => fixture.authority.revoked.length === 1);
});
