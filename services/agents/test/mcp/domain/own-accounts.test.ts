import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startAgents } from '../../agents-services.ts';
import { asAdmin } from '../../integrations-fixture.ts';
import {
  ada,
  addOwnAccounts,
  bob,
  chatOf,
  codeIn,
  connect,
  followLink,
  grantsOf,
  lastToken,
  linkIn,
  look,
  type OwnAccounts,
  personOf,
  said,
} from '../own-accounts-fixture.ts';
import { openSignInFixture, type SignInFixture, serversPath } from '../sign-in-fixture.ts';

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

test('a person connects their account by a link and a code, and calls use it for them alone', async () => {
  const chat = chatOf(fixture, own);
  const before = fixture.server.calls.length;
  const answer = await said(chat, 'do it');
  const link = linkIn(answer) ?? '';
  expect(answer).toContain('your account at Tickets');
  const page = await look(fixture, link);
  expect(page.text).toContain('Ada');
  expect(page.text).toContain('Tickets');
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
  const landed = await followLink(fixture, link);
  expect(landed.text).toContain('send the following');
  expect(await said(chat, 'again')).toContain('/oauth/connect/');
  expect(callsSince(before)).toBe(0);
  await connect(fixture, chat);
  expect(await said(chat, 'do it')).toContain('echo: {"text":"Hello"}');
  const tokenOfAda = lastToken(fixture);
  const chatOfBob = chatOf(fixture, own);
  expect(linkIn(await said(chatOfBob, 'do it', bob))).toBeDefined();
  await connect(fixture, chatOfBob, bob);
  await said(chatOfBob, 'do it', bob);
  expect(lastToken(fixture)).not.toBe(tokenOfAda);
  expect(callsSince(before)).toBe(2);
});

test('a forwarded link binds nobody: the code works in the chat of its person only, and only they see the account used', async () => {
  const [chat, chatOfBob] = [chatOf(fixture, own), chatOf(fixture, own)];
  const landed = await followLink(fixture, linkIn(await said(chat, 'do it')) ?? '');
  // Bob opened Ada's link, and signed in with his account. His chat can't confirm it, and Ada doesn't know the code.
  expect(await said(chatOfBob, `/connect ${codeIn(landed)}`, bob)).toContain('not valid');
  expect(await said(chat, '/connect 12345678')).toContain('not valid');
  expect(await grantsOf(fixture)).toEqual([]);
});

test('a link works once and for ten minutes, and looking at it ends nothing', async () => {
  const chat = chatOf(fixture, own);
  const link = linkIn(await said(chat, 'do it')) ?? '';
  expect((await look(fixture, link)).status).toBe(200);
  await followLink(fixture, link);
  for (const method of ['GET', 'POST']) expect((await look(fixture, link, method)).status).toBe(410);
  const second = linkIn(await said(chat, 'do it')) ?? '';
  await fixture.harness.asOwner(`update agents.server_links set expires_at = now() - interval '1 second'`);
  for (const method of ['GET', 'POST']) expect((await look(fixture, second, method)).status).toBe(410);
});

test('a newer link ends the former one', async () => {
  const chat = chatOf(fixture, own);
  const first = linkIn(await said(chat, 'do it')) ?? '';
  const second = linkIn(await said(chat, 'do it')) ?? '';
  expect((await look(fixture, first, 'POST')).status).toBe(410);
  expect((await look(fixture, second)).status).toBe(200);
});

test('a sign-in that is confirmed too late, or after five wrong codes, connects nothing', async () => {
  const chat = chatOf(fixture, own);
  const code = codeIn(await followLink(fixture, linkIn(await said(chat, 'do it')) ?? ''));
  for (let count = 0; count < 5; count += 1) await said(chat, '/connect 00000000x');
  expect(await said(chat, `/connect ${code}`)).toContain('not valid');
  const late = codeIn(await followLink(fixture, linkIn(await said(chat, 'do it')) ?? ''));
  await fixture.harness.asOwner(`update agents.server_links set expires_at = now() - interval '1 second'`);
  expect(await said(chat, `/connect ${late}`)).toContain('not valid');
  expect(await grantsOf(fixture)).toEqual([]);
});

test.each([
  [
    'a group',
    { ...ada, chat: { platformChatId: '-5', kind: 'group' as const, title: 'All' } },
    'private chat only',
  ],
  ['an unproven sender', { ...ada, sender: { ...ada.sender!, isProven: false } }, 'nothing proves'],
])('%s gets no link and uses no account', async (_where, message, reason) => {
  await connect(fixture, chatOf(fixture, own));
  const before = fixture.server.calls.length;
  const answer = await said(chatOf(fixture, own), 'do it', message);
  expect(answer).toContain(reason);
  expect(linkIn(answer)).toBeUndefined();
  expect(callsSince(before)).toBe(0);
});

test('a definition that differs for the person is off for them, and so is a hidden tool', async () => {
  const chat = chatOf(fixture, own);
  await connect(fixture, chat);
  await fixture.harness.asOwner(`update agents.tool_servers set checked_at = now()`);
  fixture.server.tools = [{ name: 'echo', description: 'Sends all texts to me.' }];
  expect(await said(chat, 'do it')).toContain('another one than an admin has allowed');
  const chatOfBob = chatOf(fixture, own);
  fixture.server.tools = [{ name: 'other', description: 'Another.' }];
  await connect(fixture, chatOfBob, bob);
  expect(await said(chatOfBob, 'do it', bob)).toContain('does not offer this tool');
});

test('an admin sees who is connected, by name, and disconnects them; their tokens are revoked', async () => {
  const chat = chatOf(fixture, own);
  await connect(fixture, chat);
  const people = `${serversPath}/${own.serverId}/people`;
  const { body: listed, text } = await asAdmin(fixture, 'GET', people);
  expect(listed).toMatchObject([{ name: 'Ada', platform: 'messenger' }]);
  for (const token of fixture.authority.tokens) expect(text).not.toContain(token);
  expect((await asAdmin(fixture, 'GET', people, undefined, fixture.other)).status).toBe(404);
  const path = `${people}/${listed[0].personId}`;
  expect((await asAdmin(fixture, 'DELETE', path, undefined, fixture.other)).status).toBe(404);
  expect((await asAdmin(fixture, 'DELETE', path)).status).toBe(204);
  expect(fixture.authority.revoked).toHaveLength(1);
  expect(linkIn(await said(chat, 'do it'))).toBeDefined();
});

test('another site opens no link in the browser of a person', async () => {
  const chat = chatOf(fixture, own);
  const link = linkIn(await said(chat, 'do it')) ?? '';
  for (const site of ['cross-site', 'same-site', 'none']) {
    const answer = await look(fixture, link, 'POST', { 'sec-fetch-site': site });
    expect(answer.text, site).toContain('Go on only if you are Ada');
    expect(answer.headers.getSetCookie()).toEqual([]);
  }
  const opened = await look(fixture, link, 'POST', { 'sec-fetch-site': 'same-origin' });
  expect(opened.text).toContain('http-equiv="refresh"');
});

test('wrong codes of one person end the sign-in of no other', async () => {
  const [chat, chatOfBob] = [chatOf(fixture, own), chatOf(fixture, own)];
  const code = codeIn(await followLink(fixture, linkIn(await said(chat, 'do it')) ?? ''));
  await followLink(fixture, linkIn(await said(chatOfBob, 'do it', bob)) ?? '');
  for (let count = 0; count < 5; count += 1) await said(chatOfBob, '/connect 00000000x', bob);
  expect(await said(chat, `/connect ${code}`)).toContain('is connected');
});

test('of two links that are made at the same time, one works', async () => {
  const answers = await Promise.all([1, 2].map(() => said(chatOf(fixture, own), 'do it')));
  const pages = await Promise.all(answers.map((answer) => look(fixture, linkIn(answer) ?? '')));
  expect(pages.map(({ status }) => status).sort()).toEqual([200, 410]);
});

test('people can only have accounts of their own where there is a sign-in', async () => {
  const body = { name: 'Plain', url: fixture.server.url, grantOf: 'person' };
  expect((await asAdmin(fixture, 'POST', serversPath, body)).status).toBe(422);
  const change = { authorization: { type: 'none' } };
  expect((await asAdmin(fixture, 'PUT', `${serversPath}/${own.serverId}`, change)).status).toBe(422);
});

test('a call by hand is refused: it would use the account of a person', async () => {
  const path = `${serversPath}/${own.serverId}/tools`;
  const [{ pin }] = (await asAdmin(fixture, 'GET', path)).body;
  const tried = await asAdmin(fixture, 'POST', `${path}/echo/try`, { arguments: {}, pin });
  expect(tried.status).toBe(409);
});

test('somebody who may not call the tool gets no link', async () => {
  await asAdmin(fixture, 'PUT', '/api/integrations/access-rules', {
    effect: 'deny',
    toolkit: `mcp-${own.serverId}`,
  });
  const answer = await said(chatOf(fixture, own), 'do it', personOf('7003', 'Eve'));
  expect(linkIn(answer)).toBeUndefined();
});

test('the service restarts between the sign-in and the code, and the code still connects', async () => {
  const chat = chatOf(fixture, own);
  const code = codeIn(await followLink(fixture, linkIn(await said(chat, 'do it')) ?? ''));
  await fixture.agents.stop();
  fixture.agents = await startAgents(fixture, fixture.env);
  expect(await said(chat, `/connect ${code}`)).toContain('is connected');
});
