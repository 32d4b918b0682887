import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Quote } from '@botyard/contracts/events/webhooks';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readUpdate } from '../../../../src/platforms/telegram/domain/read-update.ts';

const bot = { platformBotId: '7123456789', username: 'acme_support_bot' };
const file = join(import.meta.dirname, '../../../../../../test/fixtures/messenger/reply_with_quote.json');
const sample = JSON.parse(readFileSync(file, 'utf8'));
const target = sample.message.reply_to_message;
const anna = { platformUserId: '5512345678', name: 'Anna Keller', isBot: false };

/** The sample with other fields, as it is parsed. @throws if the message is lost. */
function read(fields: Record<string, unknown>) {
  const result = readUpdate({ ...sample, message: { ...sample.message, ...fields } }, bot);
  if (!('message' in result)) throw new Error(`the message is lost: ${JSON.stringify(result)}`);
  return result.message;
}
const quoteOf = (fields: Record<string, unknown>) => read(fields).quote;
const reply = (fields: Record<string, unknown>) =>
  quoteOf({ quote: undefined, reply_to_message: { ...target, ...fields } });

describe('a reply', () => {
  test('quotes the marked part, else all of its text, else its caption', () => {
    expect(quoteOf({})).toMatchObject({ kind: 'quote', text: 'Refunds take a week.' });
    expect(reply({})).toEqual({
      kind: 'reply',
      text: 'We ship within two days. Refunds take a week.',
      author: anna,
      platformMessageId: '2200',
    });
    expect(reply({ text: undefined, caption: 'The invoice' })).toMatchObject({ text: 'The invoice' });
    expect(reply({ text: '', caption: 'The invoice' })).toMatchObject({ text: 'The invoice' });
  });

  test.each([
    ['to a picture without words', { text: undefined }],
    ['to blanks', { text: ' \n ' }],
    ['to the message that opened the topic', { forum_topic_created: { name: 'Returns', icon_color: 1 } }],
  ])('%s quotes nothing', (_what, fields) => {
    expect(reply(fields)).toBeUndefined();
  });

  test("to the bot quotes the bot's own words, and is for the bot", () => {
    const from = { id: 7123456789, is_bot: true, first_name: 'Acme Support' };
    const message = read({
      text: 'why?',
      entities: [],
      quote: undefined,
      reply_to_message: { ...target, from },
    });
    expect(message.quote?.author).toEqual({
      platformUserId: '7123456789',
      name: 'Acme Support',
      isBot: true,
    });
  });

  test('to a person who wrote as a chat names the chat, not the account behind it', () => {
    const stand = { id: 1087968824, is_bot: true, first_name: 'Group' };
    const chat = { id: -1002233445566, title: 'Acme customers', type: 'supergroup' };
    expect(reply({ from: stand, sender_chat: chat })?.author).toEqual({
      platformUserId: '-1002233445566',
      name: 'Acme customers',
      isBot: false,
    });
  });

  test('has no author if that of the quoted message is unknown', () => {
    expect(reply({ from: undefined })).not.toHaveProperty('author');
  });
});

describe('a reply to a message of another chat', () => {
  const external = (fields: object) => quoteOf({ reply_to_message: undefined, external_reply: fields });
  const text = 'Refunds take a week.';
  test.each([
    ['a person', { type: 'user', date: 1, sender_user: target.from }, anna],
    ['a hidden account', { type: 'hidden_user', sender_user_name: 'A. K.' }, { name: 'A. K.', isBot: false }],
    [
      'a group',
      { type: 'chat', sender_chat: { id: -1, type: 'group', title: 'G' } },
      { platformUserId: '-1', name: 'G', isBot: false },
    ],
    [
      'a channel',
      { type: 'channel', chat: { id: -2, type: 'channel', title: 'C' }, message_id: 9 },
      { platformUserId: '-2', name: 'C', isBot: false },
    ],
  ])('written by %s', (_what, origin, author) => {
    expect(external({ origin })).toEqual({ kind: 'quote', text, author });
  });

  test('contains the number only if it is of this chat, where the number means something', () => {
    const origin = { type: 'user', sender_user: target.from };
    const chat = (id: number) => ({ id, type: 'supergroup', title: 'x' });
    expect(external({ origin, chat: chat(-5), message_id: 7 })).not.toHaveProperty('platformMessageId');
    expect(external({ origin, chat: chat(sample.message.chat.id), message_id: 7 })).toMatchObject({
      platformMessageId: '7',
    });
  });

  test('quotes nothing if it has no words', () => {
    expect(quoteOf({ reply_to_message: undefined, quote: undefined, external_reply: {} })).toBeUndefined();
  });
});

describe('bounds', () => {
  test('a marked part has 1,024 units at most, a replied-to text 4,096, and no character is cut in half', () => {
    expect(quoteOf({ quote: { text: 'x'.repeat(200_000) } })?.text).toBe('x'.repeat(1024));
    expect(reply({ text: 'x'.repeat(200_000) })?.text).toBe('x'.repeat(4096));
    expect(quoteOf({ quote: { text: `x${'🦄'.repeat(600)}` } })?.text).toBe(`x${'🦄'.repeat(511)}`);
    expect(reply({ text: `x${'🦄'.repeat(3000)}` })?.text).toBe(`x${'🦄'.repeat(2047)}`);
    expect(reply({ text: '🦄'.repeat(3000) })?.text).toBe('🦄'.repeat(2048));
  });

  test('NUL and halves of characters become the replacement character, in text and name', () => {
    expect(quoteOf({ quote: { text: 'a\0b\ud800c\udc00' } })?.text).toBe('a\uFFFDb\uFFFDc\uFFFD');
    const from = { id: 1, first_name: `\0${'🦄'.repeat(300)}`, last_name: '\udfff' };
    expect(reply({ from })?.author?.name).toBe(`\uFFFD${'🦄'.repeat(149)}`);
  });
});

const wrong = fc.oneof(
  fc.anything(),
  fc.constantFrom(null, undefined, '', '\0', '\ud800', 'x'.repeat(10_000), [], {}, 1e300, Number.NaN),
);
const user = fc.record(
  { id: fc.oneof(fc.integer(), wrong), first_name: wrong, last_name: wrong, is_bot: wrong },
  { requiredKeys: [] },
);
const chat = fc.record({ id: fc.oneof(fc.integer(), wrong), title: wrong }, { requiredKeys: [] });
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 6000 }), wrong);
const fields = fc.record(
  {
    quote: fc.oneof(fc.record({ text }), wrong),
    reply_to_message: fc.oneof(
      fc.record(
        { message_id: wrong, from: user, sender_chat: fc.oneof(chat, wrong), text, caption: text },
        { requiredKeys: [] },
      ),
      wrong,
    ),
    external_reply: fc.oneof(
      fc.record({
        origin: fc.oneof(fc.record({ sender_user: user, sender_user_name: text, chat }), wrong),
        chat: fc.oneof(chat, fc.constant(sample.message.chat)),
        message_id: wrong,
      }),
      wrong,
    ),
  },
  { requiredKeys: [] },
);

test('with any values in these fields, the message is accepted, and its quotation is bounded, clean and valid', () => {
  fc.assert(
    fc.property(fields, (given) => {
      const message = read(given);
      expect(message.text).toBe('is that true?');
      if (!message.quote) return;
      const { kind, text: quoted, author } = Quote.parse(message.quote);
      expect(message.quote).toEqual(Quote.strict().parse(message.quote));
      expect(quoted.length).toBeLessThanOrEqual(kind === 'quote' ? 1024 : 4096);
      expect(quoted.trim()).not.toBe('');
      expect(quoted.isWellFormed() && !quoted.includes('\0')).toBe(true);
      expect(author?.name.length ?? 0).toBeLessThanOrEqual(300);
    }),
    { numRuns: 500 },
  );
});
