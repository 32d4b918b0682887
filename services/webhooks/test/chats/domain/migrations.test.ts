import { chatMigrated, messageReceived } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { membershipIn, migrationOf, newGroupId, sayTo, supergroupOf } from '../../chat-updates.ts';
import {
  callsFor,
  callsInChat,
  conversationOf,
  delivered,
  holdChat,
  partsIn,
  publishReplies,
  textsIn,
} from '../../replies.ts';
import {
  closeWebhooksServices,
  eventsOf,
  type Integration,
  newIntegration,
  openWebhooksServices,
  post,
  publishedAll,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let webhooks: TestService;
let bot: Integration;
let group: number;

beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services);
  bot = await save(services, newIntegration(services));
});

beforeEach(() => {
  group = newGroupId();
});

afterAll(() => closeWebhooksServices(services));

const take = async (...updates: object[]) => {
  for (const update of updates) expect((await post(webhooks, bot, update)).status).toBe(200);
};
const say = (chatId: number, text: string) =>
  sayTo(services.messenger.bot(bot.botToken).username, chatId, text);

async function publishedOf(groupId: number) {
  await publishedAll(services);
  const chats = new Set([String(groupId), String(supergroupOf(groupId))]);
  const messages = await eventsOf(services.harness, messageReceived);
  const migrations = await eventsOf(services.harness, chatMigrated);
  return {
    messages: messages.filter(({ chat }) => chats.has(chat.platformChatId)),
    migrations: migrations.filter(({ fromChatId }) => fromChatId === String(groupId)),
  };
}

describe('a group becomes a supergroup', () => {
  test.each([
    ['the old chat tells of it first', ['to', 'from']],
    ['the new chat tells of it first', ['from', 'to']],
    ['only the old chat tells of it', ['to']],
    ['only the new chat tells of it', ['from']],
    ['it is told again and again', ['from', 'to', 'to', 'from']],
  ] as const)('%s: the conversation goes on, in its order', async (_how, order) => {
    const migration = migrationOf(group);
    await take(
      say(group, 'before'),
      ...order.map((which) => migration[which]),
      say(supergroupOf(group), 'after'),
    );
    const { messages, migrations } = await publishedOf(group);
    expect(messages.map(({ seq, text }) => [seq, text])).toEqual([
      [1, 'before'],
      [2, 'after'],
    ]);
    expect(messages[1]).toMatchObject({
      conversationId: messages[0]!.conversationId,
      chat: { platformChatId: String(supergroupOf(group)), migratedFrom: String(group) },
    });
    expect(migrations).toEqual([
      expect.objectContaining({
        toChatId: String(supergroupOf(group)),
        conversationId: messages[0]!.conversationId,
      }),
    ]);
  });

  test('both chats announce it at the same moment: it is one migration', async () => {
    const { to, from } = migrationOf(group);
    await Promise.all([take(to), take(from)]);
    expect((await publishedOf(group)).migrations).toHaveLength(1);
  });

  test('another tenant, and another bot of the same group, keep their own conversations', async () => {
    const other = await save(services, newIntegration(services));
    await take(migrationOf(group).to);
    const { username } = services.messenger.bot(other.botToken);
    await post(webhooks, other, sayTo(username, supergroupOf(group), 'hi'));
    const { messages } = await publishedOf(group);
    expect(messages[0]!.chat).not.toHaveProperty('migratedFrom');
  });

  test('messages that wait for the old chat are sent to the new one, in order', async () => {
    const { reply, platformChatId } = conversationOf(bot, String(group));
    const [first, second, third] = ['one', 'two', 'three'].map((text) => reply(text));
    await holdChat(services, bot, platformChatId);
    await publishReplies(services, first!, second!);
    await services.harness.settled('webhooks', 'agents');
    await releaseWithoutWork(platformChatId);
    await take(migrationOf(group).from);
    await publishReplies(services, third!);
    for (const one of [first!, second!, third!])
      expect(await delivered(services, one)).toMatchObject({ state: 'sent' });
    expect(textsIn(services, String(supergroupOf(group)))).toEqual(['one', 'two', 'three']);
    expect(callsFor(services, platformChatId)).toEqual([]);
  });

  const refuseAsMoved = () =>
    services.messenger.fail('sendMessage', {
      on: callsInChat(String(group)),
      status: 400,
      body: {
        ok: false,
        error_code: 400,
        description: 'Bad Request: group chat was upgraded to a supergroup chat',
        parameters: { migrate_to_chat_id: supergroupOf(group) },
      },
    });

  test('it is also learned from a send: later messages go to the new chat, and the conversation continues', async () => {
    const { reply, platformChatId } = conversationOf(bot, String(group));
    refuseAsMoved();
    await take(say(group, 'before'));
    const [first, second] = [reply('one'), reply('two')];
    const goOn = services.messenger.hold('sendMessage');
    await publishReplies(services, first, second);
    await eventually('both are queued', async () => (await partsIn(services, platformChatId)).length === 2);
    goOn();
    for (const one of [first, second])
      expect(await delivered(services, one)).toMatchObject({ state: 'sent' });
    await take(say(supergroupOf(group), 'after'), migrationOf(group).to);
    expect(textsIn(services, String(supergroupOf(group)))).toEqual(['one', 'two']);
    expect(callsFor(services, platformChatId)).toHaveLength(1);
    const { messages, migrations } = await publishedOf(group);
    expect(new Set(messages.map(({ conversationId }) => conversationId)).size).toBe(1);
    expect(migrations).toHaveLength(1);
  });

  test('a message that the new chat asks to wait with is not sent there sooner', async () => {
    const [newChatId, { reply }] = [String(supergroupOf(group)), conversationOf(bot, String(group))];
    refuseAsMoved();
    services.messenger.failNext('sendMessage', { on: callsInChat(newChatId), status: 429, retryAfter: 2 });
    const patient = reply('patient');
    await publishReplies(services, patient);
    expect(await delivered(services, patient)).toMatchObject({ state: 'sent', isUncertain: false });
    const [first, second, ...more] = callsFor(services, newChatId);
    expect(more).toEqual([]);
    expect(second!.receivedAt - first!.receivedAt).toBeGreaterThanOrEqual(2000);
  });

  test("the bot's departure from the old chat is part of it, and doesn't block the group", async () => {
    const { reply } = conversationOf(bot, String(group));
    await take(migrationOf(group).from);
    await take(membershipIn(services.messenger.bot(bot.botToken).id, group, 'left'));
    const answer = reply('here', { askedAt: new Date(Date.now() - 5000).toISOString() });
    await publishReplies(services, answer);
    expect(await delivered(services, answer)).toMatchObject({ state: 'sent' });
    expect(textsIn(services, String(supergroupOf(group)))).toEqual(['here']);
  });
});

/** The worker that held the chat gives it back, and none takes it before the migration is known. */
async function releaseWithoutWork(platformChatId: string): Promise<void> {
  await services.harness.asOwner(
    'update webhooks.chats set ready_at = null, lease_until = null where platform_chat_id = $1',
    [platformChatId],
  );
}
