import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { conversationIdOf } from '../../../../src/chats/domain/conversation-id.ts';
import type {
  ReadMembership,
  ReadMessage,
  ReadMigration,
} from '../../../../src/platforms/domain/read-delivery.ts';
import { heardUpdate } from '../heard-update.ts';

const folder = join(import.meta.dirname, '../../../../../../test/fixtures/messenger');
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.replace('.json', ''));
// biome-ignore lint/suspicious/noExplicitAny: a test changes samples of any shape
const read = (name: string): any => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));

const bot = { platformBotId: '7123456789', username: 'acme_support_bot' };
const anna = { platformUserId: '5512345678', name: 'Anna Keller', username: 'anna_keller', language: 'de' };
const ravi = { platformUserId: '812345670', name: 'Ravi', language: 'en' };
const oleg = { platformUserId: '6900000001', name: 'Олег' };
const customers = { platformChatId: '-1002233445566', kind: 'group', title: 'Acme customers' };
const withAnna = { platformChatId: '5512345678', kind: 'private', title: 'Anna Keller' };

type Verdict =
  | { ignored: string }
  | { malformed: true }
  | { message: Partial<ReadMessage> }
  | { membership: ReadMembership }
  | { migration: ReadMigration };

const verdicts: Record<string, Verdict> = {
  anonymous_group_admin: {
    message: {
      text: 'status?',
      chat: customers as ReadMessage['chat'],
      sender: { platformUserId: '-1002233445566', name: 'Acme customers' },
    },
  },
  bot_sent_message: { ignored: "another bot's message" },
  channel_autoforward_in_discussion_group: { ignored: 'forwarded from the linked channel' },
  channel_post: { ignored: 'channel_post' },
  document_pdf: {
    message: {
      text: 'my invoice',
      content: 'text',
      sender: anna,
      chat: withAnna as ReadMessage['chat'],
      attachment: {
        kind: 'document',
        name: 'Rechnung fdp.exe 2026.pdf',
        mimeType: 'application/pdf',
        sizeBytes: 22_020_096,
      },
    },
  },
  group_command_addressed: {
    message: {
      text: 'opening hours?',
      command: { name: 'ask', argument: 'opening hours?' },
      chat: { platformChatId: '-4123456789', kind: 'group', title: 'Acme small group' },
      sender: ravi,
    },
  },
  group_mention: { message: { text: 'what is the refund window?', sender: ravi } },
  group_plain_not_addressed: { ignored: 'not addressed to the bot' },
  guest_message: { ignored: 'guest_message' },
  huge_text_continuation: { message: { text: '...and that was the whole story.', platformMessageId: '116' } },
  inline_query: { ignored: 'inline_query' },
  left_member: { ignored: 'event of the chat' },
  malformed_no_update_id: { malformed: true },
  message_without_known_content: { message: { text: '', content: 'unsupported', sender: anna } },
  my_chat_member_kicked_from_group: {
    membership: {
      platformChatId: '-4123456789',
      happenedAt: 1_795_200_000,
      state: 'blocked',
      reason: 'the bot was removed from the chat',
    },
  },
  new_members_including_bot: { ignored: 'event of the chat' },
  nullish_fields: {
    message: {
      text: '',
      content: 'unsupported',
      chat: { platformChatId: '5550000009', kind: 'private', title: '' },
      sender: { platformUserId: '5550000009', name: '' },
    },
  },
  own_message_echo: { ignored: 'own message' },
  poll_answer_anonymous_channel: { ignored: 'poll_answer' },
  private_text: {
    message: {
      text: 'Hi, when does my parcel arrive?',
      content: 'text',
      chat: withAnna as ReadMessage['chat'],
      sender: anna,
      platformMessageId: '101',
      sentAt: '2026-11-20T18:40:00.000Z',
    },
  },
  private_user_without_username: {
    message: {
      text: 'Добрый день',
      chat: { platformChatId: '6900000001', kind: 'private', title: 'Олег' },
      sender: oleg,
    },
  },
  reply_with_quote: {
    message: {
      text: 'is that true?',
      sender: ravi,
      quote: {
        kind: 'quote',
        text: 'Refunds take a week.',
        author: { platformUserId: '5512345678', name: 'Anna Keller', isBot: false },
        platformMessageId: '2200',
      },
    },
  },
  rtl_emoji_bidi: { message: { text: read('rtl_emoji_bidi').message.text, sender: oleg } },
  sent_as_channel_in_group: { ignored: 'not addressed to the bot' },
  supergroup_migrate_from: { migration: { fromChatId: '-4123456789', toChatId: '-1002700000001' } },
  supergroup_reply_thread_not_topic: { ignored: 'not addressed to the bot' },
  topic_general_message: { ignored: 'not addressed to the bot' },
  unknown_update_kind: { ignored: 'unknown' },
  update_without_kind: { ignored: 'no content' },
  voice_note: {
    message: {
      text: '',
      content: 'unsupported',
      sender: ravi,
      attachment: { kind: 'voice', mimeType: 'audio/ogg', sizeBytes: 28_817 },
    },
  },
};

test('every sample has a verdict', () => {
  expect(Object.keys(verdicts).sort()).toEqual(names.sort());
});

test.each(Object.entries(verdicts))('%s', (name, verdict) => {
  const update = read(name);
  const eventId = String(update.update_id);
  const result = heardUpdate(update, bot);
  if ('malformed' in verdict) expect(result).toEqual({ malformed: expect.any(String) });
  else if (!('message' in verdict)) expect(result).toEqual({ eventId, ...verdict });
  else {
    expect(result).toMatchObject({ eventId, message: verdict.message });
    const { message } = result as { message: ReadMessage };
    expect(message.command).toEqual(verdict.message.command);
    expect(message.quote).toEqual(verdict.message.quote);
    expect(message.attachment).toEqual(verdict.message.attachment);
    if (verdict.message.chat) expect(message.chat).toEqual(verdict.message.chat);
    if (verdict.message.sender) expect(message.sender).toEqual(verdict.message.sender);
  }
});

/** The sample with other fields in its message. */
function changed(name: string, fields: Record<string, unknown>) {
  const update = read(name);
  return heardUpdate({ ...update, message: { ...update.message, ...fields } }, bot);
}

const atBot = { text: '@acme_support_bot hi', entities: [{ type: 'mention', offset: 0, length: 17 }] };

test('a thread is kept only where the platform calls it a topic', () => {
  const thread = (fields: Record<string, unknown>) =>
    (changed('supergroup_reply_thread_not_topic', { ...atBot, ...fields }) as { message: ReadMessage })
      .message.chat.threadId;
  expect(thread({})).toBeUndefined();
  expect(thread({ is_topic_message: true })).toBe('2208');
  expect(thread({ is_topic_message: true, message_thread_id: null })).toBeUndefined();
});

test('in a group a reply to the bot is for the bot, and one to a topic that the bot opened is not', () => {
  const from = { id: 7123456789, is_bot: true, first_name: 'Acme Support' };
  const reply = (more = {}) => changed('group_plain_not_addressed', { reply_to_message: { from, ...more } });
  expect(reply()).toMatchObject({ message: { text: 'lunch at noon?' } });
  expect(reply({ forum_topic_created: { name: 'x' } })).toMatchObject({
    ignored: 'not addressed to the bot',
  });
});

test.each([
  ['/start now', 'private_text', { command: { name: 'start', argument: 'now' }, text: 'now' }],
  ['/Start@ACME_support_bot', 'private_text', { command: { name: 'start', argument: '' }, text: '' }],
  ['/start@other_bot', 'private_text', 'not addressed to the bot'],
  ['/start', 'group_plain_not_addressed', 'not addressed to the bot'],
  ['/start@other_bot', 'group_plain_not_addressed', 'not addressed to the bot'],
  ['/start@acme_support_bot', 'group_plain_not_addressed', { command: { name: 'start', argument: '' } }],
] as const)('the command "%s" in %s', (text, name, expected) => {
  const length = text.split(' ')[0]!.length;
  const result = changed(name, { text, entities: [{ type: 'bot_command', offset: 0, length }] });
  if (typeof expected === 'string') expect(result).toMatchObject({ ignored: expected });
  else expect(result).toMatchObject({ message: expected });
});

test('a mention is text that the platform marks, not text that looks like one', () => {
  expect(changed('group_mention', { entities: [] })).toMatchObject({ ignored: 'not addressed to the bot' });
  const marked = [{ type: 'text_mention', offset: 0, length: 3, user: { id: 7123456789 } }];
  expect(changed('group_plain_not_addressed', { entities: marked })).toHaveProperty('message');
});

test('a message that only the bot sees in a group is for the bot, in a conversation of its own', () => {
  const unseen = { message_id: 0, ephemeral_message_id: 41, receiver_user: { id: 7123456789, is_bot: true } };
  const result = changed('group_plain_not_addressed', unseen) as { message: ReadMessage };
  const { sender, chat, platformMessageId } = result.message;
  expect(chat).toMatchObject({ receiverId: sender.platformUserId, receivedId: '41' });
  expect(platformMessageId).toBe('ephemeral:41');
  const bot = { botId: 'b', platform: 'messenger' } as const;
  expect(conversationIdOf(bot, chat.platformChatId, chat)).not.toBe(
    conversationIdOf(bot, chat.platformChatId),
  );
  expect(changed('group_plain_not_addressed', { ...unseen, receiver_user: { id: 8 } })).toMatchObject({
    ignored: 'unseen message for another bot',
  });
});

test('a topic has the name that its first message gives it', () => {
  const opened = { message_id: 1, forum_topic_created: { name: 'Returns', icon_color: 1 } };
  const inTopic = { ...atBot, is_topic_message: true, reply_to_message: opened };
  expect(changed('supergroup_reply_thread_not_topic', inTopic)).toMatchObject({
    message: { chat: { threadTitle: 'Returns' } },
  });
});
