import { randomUUID } from 'node:crypto';
import { admitMessages as request } from '@botyard/contracts/events/tenancy';
import { ask } from '@botyard/shared/bus/requests';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AskedMessages,
  admitMessages,
  refusalOf,
} from '../../../src/moderation/domain/admit-messages.ts';
import type { ChatPermissions } from '../../../src/moderation/store/chat-permissions.ts';
import { createPolicyDecisions, type PolicyDecisions } from '../../../src/policies/domain/decisions.ts';
import { createBot, openTenancyServices, type TenancyServices } from '../../tenancy-services.ts';

let services: TenancyServices;
let database: ReturnType<TenancyServices['harness']['databaseAs']>;
let decisions: PolicyDecisions;
let botId: string;
let otherBot: string;

beforeAll(async () => {
  services = await openTenancyServices();
  database = services.harness.databaseAs('tenancy');
  decisions = createPolicyDecisions({ database, log: services.harness.log('test') });
  botId = await createBot(services, services.acme);
  otherBot = await createBot(services, services.acme);
});
beforeEach(async () => {
  await services.harness.asOwner(
    'truncate tenancy.mutes, tenancy.chat_rules, tenancy.channel_grants, tenancy.private_chat_grants, tenancy.policies',
  );
});
afterAll(() => services?.close());

const person = (platformUserId: string) => ({ platformUserId, name: `N ${platformUserId}` });
const newQuestion = (change: Partial<AskedMessages> = {}): AskedMessages => ({
  tenantId: services.acme.tenantId,
  botId,
  platform: 'messenger',
  chat: { platformChatId: '1', kind: 'private' },
  senders: [person('1')],
  ...change,
});
const admit = (change?: Partial<AskedMessages>) =>
  admitMessages({ database, policies: decisions }, newQuestion(change));
const everybody = { refusals: [], isUnrestricted: true };
const refused = (refusal: string, platformUserId = '1') => ({
  refusals: [{ platformUserId, refusal }],
  isUnrestricted: false,
});
const open = { refusals: [], isUnrestricted: false };

async function post(path: string, body: object, as = services.acme.admin): Promise<void> {
  const answer = await services.tenancy.call('POST', `/api/auth${path}`, { as, body });
  expect(answer.status).toBe(201);
}
const setRules = async (body: object) => {
  const path = `/api/auth/bots/${botId}`;
  const answer = await services.tenancy.call('PUT', path, { as: services.acme.admin, body });
  expect(answer.status).toBe(200);
};
const expire = (table: string) =>
  services.harness.asOwner(`update tenancy.${table} set until = now() - interval '1 second'`);
const group = { platformChatId: '-100', kind: 'group' as const };
const somebody = { platform: 'messenger', platformUserId: '1' };

describe('the reasons of refusals', () => {
  const permissions: ChatPermissions = {
    muted: [],
    channels: 'all',
    isChatGranted: false,
    privateChats: 'all',
    grantedInPrivate: [],
    hasMutes: false,
    hasPolicies: false,
  };
  const closed = { ...permissions, channels: 'granted', privateChats: 'granted' } as const;

  test.each([
    ['nothing', 'private', permissions, undefined],
    ['nothing', 'group', permissions, undefined],
    ['a mute', 'private', { ...permissions, muted: ['1'] }, 'muted'],
    ['a mute before a missing grant', 'private', { ...closed, muted: ['1'] }, 'muted'],
    ["another's mute", 'private', { ...permissions, muted: ['2'] }, undefined],
    ['a missing grant', 'group', closed, 'channel not granted'],
    ['a missing grant', 'channel', closed, 'channel not granted'],
    ['a grant of the chat', 'group', { ...closed, isChatGranted: true }, undefined],
    ['a mute in a granted chat', 'group', { ...closed, isChatGranted: true, muted: ['1'] }, 'muted'],
    ['a missing grant', 'private', closed, 'private chat not granted'],
    ['a grant', 'private', { ...closed, grantedInPrivate: ['1'] }, undefined],
    ["another's grant", 'private', { ...closed, grantedInPrivate: ['2'] }, 'private chat not granted'],
    ['a grant for private chats', 'group', { ...closed, grantedInPrivate: ['1'] }, 'channel not granted'],
    ['a closed private side', 'group', { ...permissions, privateChats: 'granted' }, undefined],
    ['closed channels', 'private', { ...permissions, channels: 'granted' }, undefined],
  ] as const)('%s in a %s chat', (_what, kind, rules, refusal) => {
    expect(refusalOf(['1'], kind, rules as ChatPermissions)).toBe(refusal);
  });
});

test('without rules everybody is admitted, and that may be cached', async () => {
  expect(await admit()).toEqual(everybody);
  expect(await admit({ chat: group })).toEqual(everybody);
});

test('a mute applies to its bot or to all, on its platform, for its person, until it ends', async () => {
  await post('/moderation', { ...somebody, botId });
  expect(await admit()).toEqual(refused('muted'));
  expect(await admit({ chat: group, senders: [person('2'), person('1')] })).toEqual(refused('muted'));
  expect(await admit({ senders: [person('2')] })).toEqual(open);
  expect(await admit({ platform: 'email' })).toEqual(open);
  expect(await admit({ botId: otherBot })).toEqual(everybody);
  await expire('mutes');
  expect(await admit()).toEqual(everybody);
  await post('/moderation', somebody);
  expect(await admit({ botId: otherBot })).toEqual(refused('muted'));
});

test('a mute of one address is one of all its spellings, and is answered in the spelling that was asked', async () => {
  await post('/moderation', { platform: 'email', platformUserId: 'anna@example.com' });
  const answer = await admit({ platform: 'email', senders: [person('Anna@Example.com')] });
  expect(answer).toEqual(refused('muted', 'Anna@Example.com'));
});

test('channels that need a grant are served with one only, private chats as before', async () => {
  await setRules({ channels: 'granted' });
  expect(await admit({ chat: group })).toEqual(refused('channel not granted'));
  expect(await admit({ chat: { ...group, kind: 'channel' } })).toEqual(refused('channel not granted'));
  expect(await admit()).toEqual(open);
  await post('/channel-grants', { botId: otherBot, platform: 'messenger', platformChatId: '-100' });
  expect(await admit({ chat: group })).toEqual(refused('channel not granted'));
  await post('/channel-grants', { botId, platform: 'messenger', platformChatId: '-100' });
  expect(await admit({ chat: group })).toEqual(open);
  expect(await admit({ chat: { ...group, platformChatId: '-200' } })).toEqual(refused('channel not granted'));
});

test('private chats that need a grant are open to people who have one, until it ends', async () => {
  await setRules({ privateChats: 'granted' });
  expect(await admit()).toEqual(refused('private chat not granted'));
  expect(await admit({ chat: group })).toEqual(open);
  await post('/private-chat-grants', { botId, ...somebody });
  expect(await admit()).toEqual(open);
  expect(await admit({ senders: [person('2')] })).toEqual(refused('private chat not granted', '2'));
  await expire('private_chat_grants');
  expect(await admit()).toEqual(refused('private chat not granted'));
});

test("another tenant's rules have no effect, even if they name the bot", async () => {
  const { other } = services;
  await post('/moderation', somebody, other.admin);
  expect(await admit()).toEqual(everybody);
  await post('/moderation', somebody);
  expect(await admit({ tenantId: other.tenantId, botId: randomUUID() })).toEqual(refused('muted'));
  await services.harness.asOwner('delete from tenancy.mutes where tenant_id = $1', [other.tenantId]);
  expect(await admit({ tenantId: other.tenantId })).toEqual(everybody);
});

describe('policies', () => {
  const addPolicy = (text: string, enabled = true) =>
    post('/policies', { name: `P ${randomUUID()}`, text, enabled });
  const refuses = (condition: string) =>
    `forbid(principal, action == Action::"sendMessage", resource) when { ${condition} };`;

  test('a disabled rule restricts nobody; an enabled one prevents caching', async () => {
    await addPolicy(refuses('principal.platformUserId == "1"'), false);
    expect(await admit()).toEqual(everybody);
    await addPolicy(refuses('principal.platformUserId == "7"'));
    expect(await admit()).toEqual(open);
  });

  test('refuse by person, chat and bot', async () => {
    await addPolicy(refuses('principal.platformUserId == "2" && context.chatKind == "group"'));
    await addPolicy(refuses(`resource == Bot::"${otherBot}"`));
    const senders = ['1', '2'].map(person);
    expect(await admit({ senders })).toEqual(open);
    expect(await admit({ senders, chat: group })).toEqual(refused('policy', '2'));
    expect((await admit({ senders, botId: otherBot })).refusals).toHaveLength(2);
  });

  test('decide last, only about people whom mutes and grants admit', async () => {
    const questions: string[][] = [];
    const policies: Parameters<typeof admitMessages>[0]['policies'] = {
      decideMessages: async (question) => {
        questions.push(question.senders.map(({ platformUserId }) => platformUserId));
        return await decisions.decideMessages(question);
      },
    };
    const senders = ['1', '2', '3'].map(person);
    await addPolicy(refuses('principal.platformUserId != "3"'));
    await post('/moderation', somebody);
    expect(await admitMessages({ database, policies }, newQuestion({ chat: group, senders }))).toEqual({
      refusals: [
        { platformUserId: '1', refusal: 'muted' },
        { platformUserId: '2', refusal: 'policy' },
      ],
      isUnrestricted: false,
    });
    expect(questions).toEqual([['2', '3']]);
  });
});

test('the question is answered over the bus', async () => {
  await post('/moderation', somebody);
  const agents = await services.harness.busAs('agents');
  expect(await ask(agents, request, newQuestion())).toEqual(refused('muted'));
});
