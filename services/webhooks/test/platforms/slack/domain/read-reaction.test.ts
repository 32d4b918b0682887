import { expect, test } from 'vitest';
import { readReaction } from '../../../../src/platforms/slack/domain/read-reaction.ts';
import { reading } from '../fixture.ts';

const ts = '1700000000.000100';
const read = (event: Record<string, unknown> = {}) =>
  readReaction(
    {
      type: 'reaction_added',
      user: 'U1',
      reaction: '+1',
      item_user: 'UBOT',
      item: { type: 'message', channel: 'C1', ts },
      event_ts: '1700000060.000200',
      ...event,
    },
    1_700_000_000,
    reading,
  );

test('a thumb at a message of the bot is the rating of its person, at the time of the event', () => {
  expect(read()).toEqual({
    rating: {
      platformChatId: 'C1',
      platformUserId: 'U1',
      platformMessageId: ts,
      rating: 'up',
      reaction: '+1',
      ratedAt: '2023-11-14T22:14:20.000Z',
    },
  });
});

test.each([
  ['+1', 'up', '+1'],
  ['thumbsup', 'up', '+1'],
  ['+1::skin-tone-2', 'up', '+1::skin-tone-2'],
  ['thumbsup::skin-tone-6', 'up', '+1::skin-tone-6'],
  ['-1', 'down', '-1'],
  ['thumbsdown::skin-tone-4', 'down', '-1::skin-tone-4'],
])('the reaction %s rates %s, whichever of its names and tones it has', (reaction, rating, name) => {
  expect(read({ reaction })).toMatchObject({ rating: { rating, reaction: name } });
  expect(read({ type: 'reaction_removed', reaction })).toMatchObject({
    rating: { rating: null, reaction: name },
  });
});

test.each([
  ['another emoji', { reaction: 'tada' }, 'another reaction'],
  ['a tone that does not exist', { reaction: '+1::skin-tone-7' }, 'another reaction'],
  ['two tones', { reaction: '+1::skin-tone-2::skin-tone-3' }, 'another reaction'],
  ['a name of a million letters', { reaction: '+1'.repeat(500_000) }, 'another reaction'],
  ['no name', { reaction: undefined }, 'another reaction'],
  ['a name that is no text', { reaction: ['+1'] }, 'another reaction'],
  ['a file', { item: { type: 'file', file: 'F1' } }, 'unreadable reaction'],
  ['no item', { item: null }, 'unreadable reaction'],
  ['a message with an impossible time', { item: { channel: 'C1', ts: '1e9' } }, 'unreadable reaction'],
  ['nobody', { user: undefined }, 'unreadable reaction'],
  ['the bot itself', { user: 'UBOT' }, 'own reaction'],
  ["a colleague's message", { item_user: 'U2' }, 'reaction to another message'],
])('a reaction with %s changes nothing', (_what, event, ignored) => {
  expect(read(event)).toEqual({ ignored });
});

test('a message whose author the platform leaves out may be one of the bot', () => {
  expect(read({ item_user: undefined })).toMatchObject({ rating: { rating: 'up' } });
});

test('without a time of its own, the reaction has the time of its delivery', () => {
  expect(read({ event_ts: 'now' })).toMatchObject({ rating: { ratedAt: '2023-11-14T22:13:20.000Z' } });
});

test('other events are no reactions', () => {
  expect(read({ type: 'star_added' })).toBeUndefined();
});
