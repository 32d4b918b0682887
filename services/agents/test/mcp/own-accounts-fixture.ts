import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import type { Answer } from '@botyard/testing/test-call';
import type { openGrant } from '../../src/mcp/domain/grants.ts';
import { Chat, type TestBot } from '../agents-services.ts';
import { asAdmin, callsTool, putRule } from '../integrations-fixture.ts';
import { allowAll, botWithServers } from './named-server.ts';
import { beHonest, comeBack, type SignInFixture, serversPath, signIn } from './sign-in-fixture.ts';

/** The parts of a chat of one person, in which the bot's agent calls `echo` for every message. */
export interface OwnAccounts {
  serverId: string;
  bot: TestBot;
}

/** A server at which each person has an account of their own. The admin has signed in, and allowed its tools. */
export async function addOwnAccounts(
  fixture: SignInFixture,
  decision = { readsOnly: true },
): Promise<OwnAccounts> {
  await beHonest(fixture);
  fixture.server.tools = [{ name: 'echo', description: 'Repeats a text.' }];
  const body = {
    name: 'Tickets',
    url: fixture.server.url,
    authorization: { type: 'oauth' },
    grantOf: 'person',
  };
  const { serverId } = (await asAdmin(fixture, 'POST', serversPath, body)).body;
  await signIn(fixture, serverId);
  await allowAll(fixture, serverId, decision);
  await putRule(fixture, { effect: 'allow', toolkit: `mcp-${serverId}` });
  const bot = await botWithServers(fixture, [serverId]);
  callsTool(fixture, 'echo', { text: 'Hello' });
  return { serverId, bot };
}

/** A person, as a message names them. */
export const personOf = (platformUserId: string, name: string): Partial<InboundMessage> => ({
  sender: { platformUserId, name, language: 'en' },
  chat: { platformChatId: platformUserId, kind: 'private', title: name },
});

export const ada = personOf('7001', 'Ada');
export const bob = personOf('7002', 'Bob');

/** Says something, and resolves with the answer to it. */
export async function said(chat: Chat, text: string, person: Partial<InboundMessage> = ada): Promise<string> {
  const before = (await chat.replies()).length;
  const [, name, argument = ''] = /^\/(\w+) ?(.*)$/.exec(text) ?? [];
  await chat.say(text, { ...person, ...(name === undefined ? {} : { command: { name, argument } }) });
  return (await chat.answers(before + 1)).at(-1) ?? '';
}

/** The path of the link in an answer. */
export const linkIn = (text: string): string | undefined => /\/oauth\/connect\/[0-9a-f]{64}/.exec(text)?.[0];

export const look = (
  { agents }: SignInFixture,
  path: string,
  method = 'GET',
  headers: Record<string, string> = {},
): Promise<Answer> => agents.call(method, path, { as: null, headers });

/** Opens a link and signs in at the authorization server. Returns the page on which the person lands. */
export async function followLink(fixture: SignInFixture, path: string): Promise<Answer> {
  const { href, cookie } = await openLink(fixture, path);
  return await comeBack(fixture, fixture.authority.consent(href), cookie);
}

/** Opens a link. Returns the page of the authorization server, and the browser's cookie. */
export async function openLink(
  fixture: SignInFixture,
  path: string,
): Promise<{ href: string; cookie: string | undefined }> {
  const opened = await look(fixture, path, 'POST');
  const cookie = opened.headers.getSetCookie()[0]?.split(';')[0];
  const href = /http-equiv="refresh" content="0;url=([^"]+)"/
    .exec(opened.text)?.[1]
    ?.replaceAll('&amp;', '&');
  if (href === undefined) throw new Error(`not begun: ${opened.text}`);
  return { href, cookie };
}

export const codeIn = ({ text }: Answer): string => /\/connect (\d{8})/.exec(text)?.[1] ?? '';

/** Connects the account of a person, as they would. */
export async function connect(fixture: SignInFixture, chat: Chat, person = ada): Promise<void> {
  const code = codeIn(await followLink(fixture, linkIn(await said(chat, 'do it', person)) ?? ''));
  const reply = await said(chat, `/connect ${code}`, person);
  if (!reply.includes('is connected')) throw new Error(`not connected: ${reply}`);
}

export const grantsOf = (fixture: SignInFixture): Promise<{ person_name: string }[]> =>
  fixture.harness.asOwner('select * from agents.server_grants where person_id is not null');

/** The one grant of a person, as it is stored. */
export async function sealedGrantOf(fixture: SignInFixture) {
  const [row] = await fixture.harness.asOwner<Record<'tenantId' | 'grantId' | 'serverId', string>>(
    `select tenant_id as "tenantId", grant_id as "grantId", server_id as "serverId", person_id as "personId", issuer,
            sealed_grant as "sealedGrant"
     from agents.server_grants where person_id is not null`,
  );
  return row as Parameters<typeof openGrant>[1];
}

/** The token with which the server was called last. */
export const lastToken = ({ server }: SignInFixture): string | undefined =>
  server.received.filter(({ method }) => method === 'tools/call').at(-1)?.headers.authorization;

/** The access token that the authorization server issued last. */
export const newestToken = ({ authority }: SignInFixture): string => `Bearer ${[...authority.tokens].at(-1)}`;

export const chatOf = (fixture: SignInFixture, { bot }: OwnAccounts): Chat => new Chat(fixture, bot);
