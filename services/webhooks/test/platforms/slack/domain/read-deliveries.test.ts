import { expect, test } from 'vitest';
import { accountIdsOf, readPayload } from '../../../../src/platforms/slack/domain/payload.ts';
import { readDeliveries } from '../../../../src/platforms/slack/domain/read-deliveries.ts';
import { bot, bytesOf, eventBody, formOf, reading, saying } from '../fixture.ts';

const readBody = (bytes: Uint8Array, how = reading) => readDeliveries(readPayload(bytes)!, how);
const readEvent = (event: Record<string, unknown>, how = reading) => readBody(bytesOf(eventBody(event)), how);

test('a direct message is for the bot, and belongs to the chat itself', () => {
  expect(readEvent(saying())).toEqual([
    {
      eventId: 'Ev1',
      alsoKnownAs: ['message:D1:1700000000.000100'],
      message: {
        chat: { platformChatId: 'D1', kind: 'private', title: 'Anna' },
        sender: { platformUserId: 'U1', name: 'Anna' },
        platformMessageId: '1700000000.000100',
        text: 'Hello',
        content: 'text',
        sentAt: '2023-11-14T22:13:20.000Z',
      },
    },
  ]);
});

test('a message without a text is read from its blocks, with its mention of the bot', () => {
  const elements = [
    { type: 'user', user_id: 'UBOT' },
    { type: 'text', text: ' when?' },
  ];
  const blocks = [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }];
  expect(readEvent(saying({ text: '', blocks, channel: 'C1' }))).toMatchObject([
    { message: { text: 'when?', content: 'text', addressedBy: 'mention' } },
  ]);
});

test('a direct message begins a thread where the bot answers so, and an answer in a thread stays there everywhere', () => {
  const threads = { ...reading, bot: { ...bot, threadsDirectMessages: true } };
  expect(readEvent(saying(), threads)).toMatchObject([
    { message: { chat: { threadId: '1700000000.000100', threadKind: 'thread' } } },
  ]);
  expect(readEvent(saying({ thread_ts: '1690000000.000200' }))).toMatchObject([
    { message: { chat: { threadId: '1690000000.000200', threadKind: 'thread' } } },
  ]);
});

test('a mention in a channel begins a thread, comes without its name, and is the same message as its second event', () => {
  const text = '<@UBOT> what about <@U2> in <#C1|general>?';
  const said = saying({ text, channel: 'C1', channel_type: 'channel', client_msg_id: 'abc-1' });
  const [plain] = readEvent(said);
  const [mention] = readBody(bytesOf(eventBody({ ...said, type: 'app_mention' }, { event_id: 'Ev2' })));
  expect(plain).toMatchObject({
    alsoKnownAs: ['message:C1:1700000000.000100', 'client:abc-1:1'],
    message: {
      chat: { platformChatId: 'C1', kind: 'group', title: '#general', threadId: '1700000000.000100' },
      text: 'what about @Ben in #general?',
      addressedBy: 'mention',
    },
  });
  expect(mention).toEqual({ ...plain, eventId: 'Ev2' });
});

test('other messages of a channel are given, too: an answer to the bot as addressed, the others as not', () => {
  const said = saying({ channel: 'C1', channel_type: 'channel', thread_ts: '1690000000.000200' });
  expect(readEvent({ ...said, parent_user_id: 'UBOT' })).toMatchObject([
    { message: { addressedBy: 'reply' } },
  ]);
  const [other] = readEvent({ ...said, parent_user_id: 'U2' });
  expect(other).toMatchObject({ message: { chat: { threadId: '1690000000.000200' } } });
  expect(other).not.toHaveProperty('message.addressedBy');
});

test.each([
  ['own messages', { user: 'UBOT' }, 'own message'],
  ['own messages by their author', { bot_id: 'BBOT', user: 'U9' }, 'own message'],
  ["other bots' messages", { bot_id: 'B2' }, "another bot's message"],
  ['bot messages', { subtype: 'bot_message' }, "another bot's message"],
  ['messages with the profile of a bot', { bot_profile: { id: 'B3' } }, "another bot's message"],
  ["the platform's assistant", { user: 'USLACKBOT' }, "another bot's message"],
  ['somebody who joins', { subtype: 'channel_join' }, 'event of the chat'],
  ['the root of an assistant thread', { subtype: 'assistant_app_thread' }, 'event of the chat'],
  ['nobody', { user: undefined }, 'no sender'],
  ['no channel', { channel: 'X1' }, 'unreadable message'],
  ['no time', { ts: 'yesterday' }, 'unreadable message'],
])('%s are never answered', (_who, event, ignored) => {
  expect(readEvent(saying(event))).toEqual([{ eventId: 'Ev1', ignored }]);
});

test('a person of another workspace is one like the others', () => {
  const said = saying({ user: 'W9', user_team: 'T9', source_team: 'T9', channel: 'C1', text: '<@UBOT> hi' });
  expect(readEvent(said)).toMatchObject([{ message: { sender: { platformUserId: 'W9' }, text: 'hi' } }]);
});

test('an edit has the new words, and a number that grows within a second', () => {
  const change = (micros: string) => ({
    type: 'message',
    subtype: 'message_changed',
    channel: 'D1',
    event_ts: `1700000005.${micros}`,
    message: { ...saying({ text: 'Bye' }), edited: { user: 'U1', ts: '1700000005.000000' } },
    previous_message: saying(),
  });
  const [first] = readEvent(change('000100'));
  const [second] = readEvent(change('000200'));
  expect(first).toMatchObject({
    edit: { platformMessageId: '1700000000.000100', text: 'Bye', editedAt: '2023-11-14T22:13:25.000Z' },
  });
  const numberOf = (delivery: unknown) => Number((delivery as { eventId: string }).eventId);
  expect(numberOf(second)).toBeGreaterThan(numberOf(first));
});

test.each([
  ['a preview of a link', { message: saying(), previous_message: saying() }, 'a change that is no edit'],
  [
    'an edit without new words',
    { message: saying({ edited: { ts: '1700000005.000000' } }), previous_message: saying() },
    'an edit without new words',
  ],
  [
    "another bot's edit",
    {
      message: saying({ edited: { ts: '1700000005.000000' }, bot_id: 'B2', text: 'x' }),
      previous_message: saying(),
    },
    "another bot's message",
  ],
])('%s is no edit of a person', (_what, change, ignored) => {
  expect(
    readEvent({
      type: 'message',
      subtype: 'message_changed',
      channel: 'D1',
      event_ts: '1700000005.000100',
      ...change,
    }),
  ).toEqual([{ eventId: 'Ev1', ignored }]);
});

test.each([
  ['deleted', { subtype: 'message_deleted', deleted_ts: '1700000000.000100' }],
  [
    'replaced by a tombstone while others answer it',
    { subtype: 'message_changed', message: { subtype: 'tombstone', ts: '1700000000.000100' } },
  ],
])('a message that is %s is a deletion in its place', (_how, change) => {
  const before = saying({ channel: undefined, thread_ts: '1690000000.000200' });
  const event = { type: 'message', channel: 'C1', event_ts: '1700000009.000100', previous_message: before };
  expect(readEvent({ ...event, ...change })).toEqual([
    {
      eventId: 'Ev1',
      deletion: {
        platformChatId: 'C1',
        threadId: '1690000000.000200',
        platformMessageId: '1700000000.000100',
        otherMessageIds: Array.from({ length: 9 }, (_none, index) => `1700000000.000100:file:${index + 2}`),
        deletedAt: '2023-11-14T22:13:29.000Z',
      },
    },
  ]);
});

test("the deletion of the bot's own message is ignored", () => {
  const event = {
    type: 'message',
    subtype: 'message_deleted',
    channel: 'C1',
    deleted_ts: '1700000000.000100',
  };
  expect(readEvent({ ...event, previous_message: saying({ user: 'UBOT' }) })).toMatchObject([
    { ignored: 'own message' },
  ]);
});

test('files come as one album, the first with the words; those of a document store are not fetched', () => {
  const files = [
    { id: 'F1', name: 'a\u202egnp.exe', mimetype: 'image/png', size: 10 },
    { id: 'F2', file_access: 'check_file_info' },
    { id: 'F3', name: 'plan', mode: 'external', mimetype: 'application/vnd.google-apps.document' },
  ];
  const [first, second, third, ...others] = readEvent(saying({ subtype: 'file_share', files }));
  expect(others).toEqual([]);
  expect(first).toMatchObject({
    eventId: 'Ev1',
    message: {
      text: 'Hello',
      albumId: '1700000000.000100',
      attachment: { kind: 'photo', name: 'agnp.exe', mimeType: 'image/png', sizeBytes: 10 },
      file: { fileRef: 'F1' },
    },
  });
  expect(second).toMatchObject({
    eventId: 'Ev1:2',
    message: { text: '', content: 'unsupported', file: { fileRef: 'F2' } },
  });
  expect(third).toMatchObject({
    message: { attachment: { kind: 'document', name: 'plan' }, file: undefined },
  });
});

test.each([
  ['what is new?', { text: 'what is new?' }],
  ['', { command: { name: 'help', argument: '' }, text: '' }],
  ['New', { command: { name: 'new', argument: '' }, text: '' }],
  ['new things &amp; <@U2|ben>', { text: 'new things & @ben' }],
])('the slash command with "%s" is a command or a question', (text, expected) => {
  const form = {
    command: '/botyard',
    text,
    channel_id: 'C1',
    channel_name: 'general',
    user_id: 'U1',
    trigger_id: '1.2.a',
  };
  expect(readBody(formOf(form))).toMatchObject([
    {
      eventId: 'command:1.2.a',
      message: {
        ...expected,
        addressedBy: 'command',
        chat: { platformChatId: 'C1', kind: 'group', title: '#general' },
      },
    },
  ]);
});

test('a command behind a mention is one', () => {
  expect(readEvent(saying({ channel: 'C1', text: '<@UBOT> /new' }))).toMatchObject([
    { message: { command: { name: 'new', argument: '' }, text: '' } },
  ]);
});

test('a press counts as the words of the button, in the thread of its message', () => {
  const payload = {
    type: 'block_actions',
    trigger_id: '1.2.a',
    user: { id: 'U1' },
    container: { channel_id: 'C1', message_ts: '1700000000.000100', thread_ts: '1690000000.000200' },
    message: { text: 'Send it?' },
    actions: [{ text: { text: 'Approve' }, value: 'yes' }],
  };
  expect(readBody(formOf({ payload: JSON.stringify(payload) }))).toMatchObject([
    {
      eventId: 'press:1.2.a',
      callback: {
        callbackQueryId: '1.2.a',
        message: {
          text: 'Approve',
          addressedBy: 'button',
          chat: { platformChatId: 'C1', threadId: '1690000000.000200' },
          quote: { text: 'Send it?', platformMessageId: '1700000000.000100' },
        },
      },
    },
  ]);
});

test.each([
  ['member_joined_channel', { user: 'UBOT' }, { membership: { state: 'active' } }],
  ['member_joined_channel', { user: 'U1' }, { ignored: "another member's change" }],
  ['channel_left', {}, { membership: { state: 'blocked', reason: 'the bot was removed from the channel' } }],
  ['channel_archive', {}, { membership: { state: 'blocked' } }],
  [
    'app_home_opened',
    { channel: 'D1', tab: 'messages' },
    { membership: { state: 'active', platformChatId: 'D1' } },
  ],
  [
    'channel_id_changed',
    { old_channel_id: 'G1', new_channel_id: 'C2' },
    { migration: { fromChatId: 'G1', toChatId: 'C2' } },
  ],
  ['app_uninstalled', {}, { account: { state: 'removed' } }],
  ['tokens_revoked', { tokens: { bot: ['UBOT'], oauth: [] } }, { account: { state: 'removed' } }],
  ['tokens_revoked', { tokens: { bot: [], oauth: ['U1'] } }, { ignored: "another token's end" }],
  ['star_added', {}, { ignored: 'star_added' }],
])('%s with %o is read', (type, event, expected) => {
  expect(readEvent({ type, channel: 'C1', ...event })).toMatchObject([{ eventId: 'Ev1', ...expected }]);
});

test('the account is that of the installation through which the event is visible', () => {
  const ofEvent = (envelope: Record<string, unknown>) =>
    accountIdsOf(readPayload(bytesOf(eventBody(saying(), envelope)))!);
  const orgWide = { team_id: 'T2', enterprise_id: 'E1', is_enterprise_install: true };
  expect(ofEvent({})).toEqual(['A1/T1']);
  expect(ofEvent({ authorizations: [orgWide] })).toEqual(['A1/E1']);
  expect(ofEvent({ authorizations: [], enterprise_id: 'E1' })).toEqual(['A1/T1', 'A1/E1']);
  const command = { command: '/x', api_app_id: 'A1', team_id: 'T1', enterprise_id: 'E1' };
  expect(accountIdsOf(readPayload(formOf({ ...command, is_enterprise_install: 'false' }))!)).toEqual([
    'A1/T1',
  ]);
  expect(accountIdsOf(readPayload(formOf({ ...command, is_enterprise_install: 'true' }))!)).toEqual([
    'A1/E1',
  ]);
});

test.each(['', '{', '[]', 'a=b', 'payload=x', '{"type":"event_callback"}', '\0\0'])(
  '%j is no body of the platform',
  (body) => {
    expect(readPayload(Buffer.from(body))).toBeNull();
  },
);
