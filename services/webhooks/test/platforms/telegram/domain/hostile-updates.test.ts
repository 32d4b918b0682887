import { InboundMessage } from '@botyard/contracts/events/webhooks';
import { describe, expect, test } from 'vitest';
import { readUpdate } from '../../../../src/platforms/telegram/domain/read-update.ts';
import { newUpdate } from '../../../webhooks-services.ts';

const bot = { platformBotId: '7123456789', username: 'acme_support_bot' };
/** The event's own additions to a message are made by this code. */
const ReadMessage = InboundMessage.pick({
  chat: true,
  sender: true,
  platformMessageId: true,
  text: true,
  content: true,
  command: true,
  quote: true,
  sentAt: true,
});

function expectOneVerdict(update: unknown): void {
  const result = readUpdate(update, bot);
  const verdicts = ['message', 'ignored', 'malformed'].filter((verdict) => verdict in result);
  expect(verdicts).toHaveLength(1);
  if ('message' in result) {
    ReadMessage.parse(result.message);
    expect(JSON.stringify(result.message)).not.toMatch(/\\u0000|\\ud[89a-f]/);
  }
}

const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);

const bodies: [string, string][] = [
  ['nothing', 'null'],
  ['a text', '"update"'],
  ['a number', '42'],
  ['a list', '[{"update_id":1}]'],
  ['an update_id that is a text', '{"update_id":"1"}'],
  ['an update_id beyond every number', '{"update_id":1e999}'],
  ['an update_id beyond what is exact', '{"update_id":9007199254740993}'],
  ['an update_id with a fraction', '{"update_id":1.5}'],
  ['a message that is a list', '{"update_id":1,"message":[]}'],
  ['a message that is null', '{"update_id":1,"message":null}'],
  ['a prototype', '{"update_id":1,"__proto__":{"message":{}},"constructor":{"prototype":{}}}'],
  ['a prototype as kind', '{"__proto__":{"update_id":1}}'],
  ['a message with a prototype', '{"update_id":1,"message":{"__proto__":{"chat":{"id":1}}}}'],
  ['100,000 lists in each other', `{"update_id":1,"message":${deep('[', ']')}}`],
  ['100,000 objects in each other', `{"update_id":1,"x":${deep('{"a":', '}').replace('}', '1}')}}`],
  [
    'depth where anything goes',
    `{"update_id":1,"message":{"reply_to_message":{"forum_topic_created":${deep('[', ']')}}}}`,
  ],
];

test.each(bodies)('W-12: %s gets one verdict and throws nothing', (_what, json) => {
  expectOneVerdict(JSON.parse(json));
});

test('W-12: nothing of an update reaches the prototype of objects', () => {
  readUpdate(
    JSON.parse('{"update_id":1,"__proto__":{"polluted":1},"message":{"__proto__":{"polluted":1}}}'),
    bot,
  );
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('an unknown kind is counted as unknown, under any name', () => {
  for (const kind of ['x'.repeat(10_000), 'hologram', '__proto__x', '{}', 'constructor', 'tostring'])
    expect(readUpdate({ update_id: 1, [kind]: {} }, bot)).toEqual({ eventId: '1', ignored: 'unknown' });
});

const values = [
  null,
  undefined,
  true,
  '',
  'text',
  '\0',
  '\ud800',
  'a\udc00\0b',
  'x'.repeat(200_000),
  -1,
  0,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.MAX_SAFE_INTEGER,
  -Number.MAX_SAFE_INTEGER,
  1e300,
  8.64e12,
  [],
  [[]],
  [null],
  {},
  { id: 1 },
  JSON.parse('{"__proto__":{"id":1}}'),
  { id: 7, type: 'private', first_name: '\ud800\0' },
  [{ type: 'mention', offset: 1e9, length: 1e9 }],
  [{ type: 'bot_command', offset: 0, length: 1e9 }],
  [{ type: 'text_mention', offset: -1, length: 0, user: {} }],
];

describe('W-12: any value in any field gets one verdict, and an accepted message is a valid event', () => {
  const fields = [
    ...['message_id', 'from', 'sender_chat', 'chat', 'date', 'message_thread_id', 'is_topic_message', 'text'],
    ...['caption', 'entities', 'caption_entities', 'reply_to_message', 'is_automatic_forward', '__proto__'],
    ...['quote', 'external_reply'],
  ];
  test.each(fields)('%s', (field) => {
    for (const value of values) {
      for (const text of ['Hello', '/start@x', '@acme_support_bot']) {
        const { update_id, message } = newUpdate(5, text);
        expectOneVerdict({ update_id, message: { ...message, [field]: value } });
        expectOneVerdict({ update_id, message: { ...message, chat: { ...message.chat, [field]: value } } });
        expectOneVerdict({ update_id, message: { ...message, from: { ...message.from, [field]: value } } });
      }
    }
  });
  test.each(['id', 'type', 'title', 'username', 'first_name', 'last_name', 'is_bot'])(
    'chat and from: %s',
    (field) => {
      for (const value of values) {
        const { update_id, message } = newUpdate(5);
        expectOneVerdict({ update_id, message: { ...message, chat: { ...message.chat, [field]: value } } });
        expectOneVerdict({ update_id, message: { ...message, from: { ...message.from, [field]: value } } });
      }
    },
  );
});

test.each(['', '\0', '4\0', '\ud800', 'a\udc00b', 'x'.repeat(201), 7, null, {}])(
  'W-12: a press of a button whose number is %j is left unread: no table is asked to hold it',
  (id) => {
    const callback_query = { id, from: { id: 7, is_bot: false, first_name: 'Ann' }, data: 'yes' };
    expect(readUpdate({ update_id: 1, callback_query }, bot)).toEqual({
      eventId: '1',
      ignored: 'unreadable callback_query',
    });
  },
);

test('W-12: a mention of the bot that ends inside a character leaves no half of it', () => {
  const { update_id, message } = newUpdate(5, '😀 hi');
  const entities = [{ type: 'text_mention', offset: 0, length: 1, user: { id: 7123456789 } }];
  expectOneVerdict({ update_id, message: { ...message, entities } });
});

test('a date after the year 9999 becomes the last second that the event can hold', () => {
  const { update_id, message } = newUpdate(5);
  expect(readUpdate({ update_id, message: { ...message, date: 9e15 } }, bot)).toMatchObject({
    message: { sentAt: '9999-12-31T23:59:59.000Z' },
  });
});
