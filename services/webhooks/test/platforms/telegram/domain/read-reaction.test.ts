import { expect, test } from 'vitest';
import { readUpdate } from '../../../../src/platforms/telegram/domain/read-update.ts';

const bot = { platformBotId: '7123456789', username: 'acme_support_bot' };
const anna = { id: 5512345678, is_bot: false, first_name: 'Anna' };
const withAnna = { id: 5512345678, type: 'private', first_name: 'Anna' };
const reaction = { chat: withAnna, message_id: 9, user: anna, date: 1_795_200_000, old_reaction: [] };
const read = (fields: object) =>
  readUpdate({ update_id: 7, message_reaction: { ...reaction, ...fields } }, bot);
const emojis = (...all: string[]) => ({ new_reaction: all.map((emoji) => ({ type: 'emoji', emoji })) });

test.each([
  ['a thumb', ['👍'], 'up'],
  ['a thumb with a tone of skin', ['👍🏽'], 'up'],
  ['a thumb down', ['👎'], 'down'],
  ['a thumb among others', ['🎉', '👎🏿'], 'down'],
  ['another reaction', ['🎉'], null],
  ['no reaction any more', [], null],
])('%s is the rating of the message', (_what, reactions, rating) => {
  expect(read(emojis(...reactions))).toEqual({
    eventId: '7',
    rating: {
      platformChatId: '5512345678',
      platformMessageId: '9',
      rating,
      ratedAt: '2026-11-20T18:40:00.000Z',
    },
  });
});

test.each([
  ['in a group', { chat: { id: -4123456789, type: 'group', title: 'Group' } }, 'message_reaction'],
  ['of nobody', { user: null }, 'message_reaction'],
  ['without a message', { message_id: 'x' }, 'unreadable message_reaction'],
  ['without a moment', { date: -1 }, 'unreadable message_reaction'],
])('a reaction %s is ignored', (_what, fields, ignored) => {
  expect(read({ ...emojis('👍'), ...fields })).toEqual({ eventId: '7', ignored });
});
