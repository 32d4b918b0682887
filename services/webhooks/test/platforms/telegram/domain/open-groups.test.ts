import { expect, test } from 'vitest';
import { hearingOf } from '../../../../src/admission/domain/group-rules.ts';
import type { ReadMessage } from '../../../../src/platforms/domain/read-delivery.ts';
import { heardUpdate } from '../heard-update.ts';

/** A bot that answers everything in one group, and in two topics of another. */
const bot = { platformBotId: '7', username: 'acme_bot' };
const openGroups = new Map([
  ['-100', null],
  ['-200', ['general', '5']],
]);

const said = (text: string, fields: Record<string, unknown> = {}) =>
  heardUpdate(
    {
      update_id: 1,
      message: {
        message_id: 2,
        from: { id: 3, is_bot: false, first_name: 'Anna', language_code: 'de-AT' },
        chat: { id: -100, type: 'supergroup', title: 'Team' },
        date: 1_795_200_000,
        text,
        ...fields,
      },
    },
    bot,
    openGroups,
  );
const entity = (type: string, length: number) => [{ type, offset: 0, length }];

const hearingIn = (delivery: object) => hearingOf((delivery as { message: ReadMessage }).message, openGroups);

test('if a bot answers everything, messages that address nobody are overheard', () => {
  expect(said('lunch at noon?')).toMatchObject({ message: { text: 'lunch at noon?' } });
  expect(hearingIn(said('lunch at noon?'))).toBe('overheard');
});

test('messages to the bot are addressed to it there, too', () => {
  const mention = said('@acme_bot hi', { entities: entity('mention', 9) });
  expect(mention).toMatchObject({ message: { text: 'hi', addressedBy: 'mention' } });
  expect(hearingIn(mention)).toBe('addressed');
});

test('a command without a recipient is for the bot, and one for another bot is not', () => {
  const command = said('/new', { entities: entity('bot_command', 4) });
  expect(command).toMatchObject({ message: { command: { name: 'new', argument: '' } } });
  expect(hearingIn(command)).toBe('overheard');
  expect(said('/new@other_bot', { entities: entity('bot_command', 14) })).toMatchObject({
    ignored: 'not addressed to the bot',
  });
});

test.each([
  [{ chat: { id: -300, type: 'supergroup' } }, false],
  [{ chat: { id: -200, type: 'supergroup' } }, true],
  [{ chat: { id: -200, type: 'supergroup' }, message_thread_id: 5, is_topic_message: true }, true],
  [{ chat: { id: -200, type: 'supergroup' }, message_thread_id: 6, is_topic_message: true }, false],
  [{ chat: { id: -200, type: 'supergroup' }, message_thread_id: 6 }, true],
])('in %j it is handed over: %s', (fields, isTaken) => {
  expect('message' in said('hello', fields)).toBe(isTaken);
});

test.each([
  ['another bot', { from: { id: 9, is_bot: true, first_name: 'Bot' } }],
  ['the bot itself', { from: { id: 7, is_bot: true, first_name: 'Acme' } }],
  ['the linked channel', { is_automatic_forward: true }],
  ['the platform', { new_chat_title: 'New' }],
])('messages of %s are never passed on', (_who, fields) => {
  expect(said('hello', fields)).toHaveProperty('ignored');
});

test("the language of the person's app is passed on, and an invalid one is ignored", () => {
  expect(said('hello')).toMatchObject({ message: { sender: { language: 'de-AT' } } });
  for (const language_code of [7, 'x'.repeat(1000), '\u202e', null]) {
    const from = { id: 3, first_name: 'Anna', language_code };
    expect(said('hello', { from })).toMatchObject({ message: { sender: { name: 'Anna' } } });
  }
});
