import { describe, expect, test } from 'vitest';
import type { ReadMessage } from '../../../../src/platforms/domain/read-delivery.ts';
import { readUpdate } from '../../../../src/platforms/telegram/domain/read-update.ts';
import { heardUpdate } from '../heard-update.ts';

const bot = { platformBotId: '7123456789', username: 'acme_support_bot' };
const now = new Date('2026-11-20T18:40:00.000Z');
const read = (update: Record<string, unknown>) => readUpdate({ update_id: 7, ...update }, bot, now);

const anna = { id: 5512345678, is_bot: false, first_name: 'Anna' };
const own = { id: 7123456789, is_bot: true, first_name: 'Acme Support', username: 'acme_support_bot' };
const withAnna = { id: 5512345678, type: 'private', first_name: 'Anna' };
const group = { id: -4123456789, type: 'group', title: 'Small group' };
const supergroup = { id: -1002233445566, type: 'supergroup', title: 'Customers' };
const plain = { message_id: 5, from: anna, chat: withAnna, date: 1_795_200_000 };

describe('kinds that are no message to a bot', () => {
  const kinds = `edited_channel_post channel_post business_connection business_message edited_business_message
    deleted_business_messages guest_message stopped_message_generation message_reaction_count inline_query
    chosen_inline_result shipping_query pre_checkout_query purchased_paid_media poll poll_answer chat_member
    chat_join_request chat_boost removed_chat_boost managed_bot subscription`.split(/\s+/);

  test.each(kinds)('%s is ignored under its name, even if it contains a message', (kind) => {
    expect(read({ [kind]: { ...plain, text: 'hi' } })).toEqual({ eventId: '7', ignored: kind });
  });

  test.each([
    ['a channel', { chat: { ...supergroup, type: 'channel' } }, 'channel post'],
    [
      "a channel's mailbox",
      { chat: { ...supergroup, is_direct_messages: true } },
      "a channel's direct messages",
    ],
    ['a business account', { business_connection_id: 'b1' }, 'business message'],
    ['a guest', { guest_query_id: '1' }, 'guest message'],
    ['itself', { from: own }, 'own message'],
    ['its own inline answer', { via_bot: own }, 'written by the bot itself'],
    ['another bot', { from: { ...anna, is_bot: true } }, "another bot's message"],
    ['nobody', { from: null }, 'no sender'],
  ])('a message from %s is ignored', (_from, fields, ignored) => {
    expect(read({ message: { ...plain, text: 'hi', ...fields } })).toEqual({ eventId: '7', ignored });
  });

  test.each(['new_chat_participant', 'left_chat_participant', 'pinned_message', 'video_chat_started'])(
    'the event %s is no question',
    (field) => {
      expect(read({ message: { ...plain, [field]: {} } })).toMatchObject({ ignored: 'event of the chat' });
    },
  );

  test.each(['message', 'edited_message', 'callback_query', 'my_chat_member'])(
    '%s: null is no content',
    (kind) => {
      expect(read({ [kind]: null })).toEqual({ eventId: '7', ignored: 'no content' });
    },
  );

  test.each(['message', 'edited_message', 'callback_query', 'my_chat_member'])(
    '%s of another shape',
    (kind) => {
      for (const content of [7, 'x', [], {}, { chat: 7 }, { id: {} }])
        expect(read({ [kind]: content })).toMatchObject({ ignored: expect.stringMatching(/^unreadable/) });
    },
  );
});

describe('edits', () => {
  test('an edit is the message as it reads now, with the moment of the edit', () => {
    const edited = { ...plain, text: 'Hello again', edit_date: 1_795_200_060 };
    expect(read({ edited_message: edited })).toMatchObject({
      eventId: '7',
      edit: { text: 'Hello again', platformMessageId: '5', editedAt: '2026-11-20T18:41:00.000Z' },
    });
  });

  test('an edited caption counts as text', () => {
    const edited = { ...plain, caption: 'the bill', photo: [{ file_id: 'x', file_size: 9 }] };
    expect(read({ edited_message: edited })).toMatchObject({
      edit: { text: 'the bill', content: 'text', attachment: { kind: 'photo', sizeBytes: 9 } },
    });
  });

  test.each([
    ['in a channel', { chat: { ...supergroup, type: 'channel' } }],
    ['by the bot', { from: own }],
    ['of a place that is shared live', { text: null, location: { latitude: 1, longitude: 2 } }],
  ])('an edit %s is ignored', (_what, fields) => {
    expect(read({ edited_message: { ...plain, text: 'x', ...fields } })).toHaveProperty('ignored');
  });
});

test('an edit in a group that takes the mention of the bot away is ignored', () => {
  const edited_message = { ...plain, text: 'x', chat: group };
  expect(heardUpdate({ update_id: 7, edited_message }, bot)).toHaveProperty('ignored');
});

describe('buttons', () => {
  const keyboard = { inline_keyboard: [[{ text: 'Yes, please', callback_data: 'y' }]] };
  const message = {
    message_id: 8,
    from: own,
    chat: withAnna,
    date: 1,
    text: 'More?',
    reply_markup: keyboard,
  };
  const press = (change: Record<string, unknown> = {}) =>
    read({ callback_query: { id: '99', from: anna, message, data: 'y', chat_instance: '1', ...change } });

  test("a press contains the button's label, and refers to the message above it", () => {
    expect(press()).toEqual({
      eventId: '7',
      callback: {
        callbackQueryId: '99',
        message: {
          chat: { platformChatId: '5512345678', kind: 'private', title: 'Anna' },
          sender: { platformUserId: '5512345678', name: 'Anna' },
          platformMessageId: 'callback:99',
          text: 'Yes, please',
          content: 'text',
          quote: {
            kind: 'reply',
            text: 'More?',
            author: { platformUserId: '7123456789', name: 'acme_support_bot', isBot: true },
            platformMessageId: '8',
          },
          sentAt: now.toISOString(),
        },
      },
    });
  });

  test('a press on an inaccessible message has only its data and its chat', () => {
    const inaccessible = { chat: supergroup, message_id: 8, date: 0 };
    expect(press({ message: inaccessible })).toMatchObject({
      callback: { message: { text: 'y', chat: { platformChatId: '-1002233445566', kind: 'group' } } },
    });
  });

  test('data that looks like a command is not a command, and is cut if it is too long', () => {
    const { callback } = press({
      data: '/stop@acme_support_bot',
      message: { ...message, reply_markup: null },
    }) as never;
    expect((callback as { message: object }).message).toMatchObject({ text: '/stop@acme_support_bot' });
    expect((callback as { message: object }).message).not.toHaveProperty('command');
    const long = press({ data: 'x'.repeat(5000) }) as { callback: { message: { text: string } } };
    expect(long.callback.message.text).toHaveLength(256);
  });

  test.each([
    ['in another chat (inline)', { message: undefined, inline_message_id: 'abc' }],
    ['in a channel', { message: { ...message, chat: { ...supergroup, type: 'channel' } } }],
    ['that starts a game', { data: undefined, game_short_name: 'chess' }],
    ['by a bot', { from: own }],
    ['of a shape that nobody knows', { from: 'Anna' }],
  ])('a press %s is acknowledged, and becomes no message', (_what, change) => {
    expect(press(change)).toEqual({
      eventId: '7',
      callback: { callbackQueryId: '99', ignored: expect.any(String) },
    });
  });

  test('a topic is kept', () => {
    const inTopic = { ...message, chat: supergroup, message_thread_id: 12, is_topic_message: true };
    expect(press({ message: inTopic })).toMatchObject({
      callback: { message: { chat: { threadId: '12' } } },
    });
  });
});

describe('membership', () => {
  const change = (member: Record<string, unknown>, chat: object = group) =>
    read({
      my_chat_member: { chat, from: anna, date: 1_795_200_000, new_chat_member: { user: own, ...member } },
    });

  test.each([
    [{ status: 'kicked' }, 'blocked'],
    [{ status: 'left' }, 'blocked'],
    [{ status: 'restricted', is_member: false }, 'blocked'],
    [{ status: 'restricted', is_member: true, can_send_messages: false }, 'blocked'],
    [{ status: 'restricted', is_member: true, can_send_messages: true }, 'active'],
    [{ status: 'member' }, 'active'],
    [{ status: 'administrator' }, 'active'],
  ])('%j: %s', (member, state) => {
    expect(change(member)).toMatchObject({
      membership: { platformChatId: '-4123456789', happenedAt: 1_795_200_000, state },
    });
    expect(change(member, withAnna)).toMatchObject({ membership: { state } });
  });

  test("another member's change is not reported as the bot's", () => {
    expect(change({ user: anna, status: 'kicked' })).toHaveProperty('ignored');
  });
});

describe('migrations', () => {
  const migration = { fromChatId: '-4123456789', toChatId: '-1002700000001' };
  const moved = { ...supergroup, id: -1002700000001 };

  test('either chat announces it', () => {
    expect(read({ message: { ...plain, chat: group, migrate_to_chat_id: moved.id } })).toEqual({
      eventId: '7',
      migration,
    });
    expect(read({ message: { ...plain, chat: moved, migrate_from_chat_id: group.id } })).toEqual({
      eventId: '7',
      migration,
    });
  });

  test.each([
    ['from a supergroup', { chat: supergroup, migrate_to_chat_id: moved.id }],
    ['to a person', { chat: group, migrate_to_chat_id: 5512345678 }],
    ['to a group', { chat: group, migrate_to_chat_id: -5 }],
    ['from a person', { chat: moved, migrate_from_chat_id: 5512345678 }],
    ['to a text', { chat: group, migrate_to_chat_id: '-1002700000001' }],
  ])('an invalid one (%s) is ignored', (_what, fields) => {
    expect(read({ message: { ...plain, text: 'hi', ...fields } })).toMatchObject({
      ignored: 'event of the chat',
    });
  });
});

describe('attachments', () => {
  const attachmentOf = (fields: Record<string, unknown>) =>
    (read({ message: { ...plain, ...fields } }) as { message: { attachment?: object } }).message.attachment;

  test('a kind is reported without the address or the number of its file', () => {
    const document = {
      file_id: 'secret-file',
      file_unique_id: 'u',
      file_name: 'a\u202efdp.exe\n.pdf',
      file_size: 3,
    };
    const attachment = attachmentOf({ document });
    expect(attachment).toEqual({ kind: 'document', name: 'afdp.exe .pdf', sizeBytes: 3 });
    const { message } = read({ message: { ...plain, document } }) as { message: ReadMessage };
    const { file, ...told } = message;
    expect(file).toEqual({ fileRef: 'secret-file', name: 'afdp.exe .pdf' });
    expect(JSON.stringify(told)).not.toContain('secret-file');
  });

  test.each([undefined, 7, '', 'x'.repeat(513), 'a/../b', 'http://x', 'a b'])(
    '%j is the number of no file',
    (file_id) => {
      const document = { file_id, file_name: 'a.pdf' };
      const { message } = read({ message: { ...plain, document } }) as { message: ReadMessage };
      expect([message.attachment, message.file]).toEqual([{ kind: 'document', name: 'a.pdf' }, undefined]);
    },
  );

  test.each([
    'voice',
    'audio',
    'video',
    'video_note',
    'sticker',
    'location',
    'contact',
    'poll',
    'dice',
    'story',
  ])('%s without words can not be read', (kind) => {
    expect(read({ message: { ...plain, [kind]: {} } })).toMatchObject({
      message: { content: 'unsupported', attachment: { kind } },
    });
  });

  test('an animation is reported as one, although the update contains a document too', () => {
    expect(attachmentOf({ animation: {}, document: { file_name: 'x.gif' } })).toEqual({ kind: 'animation' });
  });

  test('hostile fields cost the field, never the message', () => {
    const document = { file_name: 7, mime_type: [], file_size: -1 };
    expect(attachmentOf({ document, caption: 'hi' })).toEqual({ kind: 'document' });
    const named = attachmentOf({
      document: { file_name: 'x'.repeat(10_000), mime_type: 'y'.repeat(10_000) },
    });
    expect(named).toEqual({ kind: 'document', name: 'x'.repeat(200), mimeType: 'y'.repeat(100) });
  });

  test('an album is known by its number', () => {
    expect(read({ message: { ...plain, photo: [], media_group_id: '14' } })).toMatchObject({
      message: { albumId: '14', content: 'unsupported' },
    });
  });

  test('a caption counts where the text is empty', () => {
    expect(read({ message: { ...plain, text: '', caption: 'look' } })).toMatchObject({
      message: { text: 'look' },
    });
  });
});
