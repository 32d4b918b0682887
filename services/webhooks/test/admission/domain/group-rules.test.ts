import type { ChatPlace } from '@botyard/contracts/events/webhooks';
import { expect, test } from 'vitest';
import { hearingOf } from '../../../src/admission/domain/group-rules.ts';
import type { ReadMessage } from '../../../src/platforms/domain/read-delivery.ts';

const openGroups = new Map([
  ['open', null],
  ['topics', ['general', '5']],
  ['one topic', ['5']],
]);
const hearing = (chat: Partial<ChatPlace>, addressedBy?: ReadMessage['addressedBy']) =>
  hearingOf(
    { chat: { platformChatId: 'closed', kind: 'group', title: '', ...chat }, addressedBy },
    openGroups,
  );

test('a private message, and one that only the bot sees in a group, is addressed to the bot', () => {
  expect(hearing({ kind: 'private' })).toBe('addressed');
  expect(hearing({ receiverId: '1' })).toBe('addressed');
});

test.each(['mention', 'reply', 'command', 'button'] as const)(
  'a group message that addresses the bot by a %s is for it in every group',
  (addressedBy) => {
    expect(hearing({}, addressedBy)).toBe('addressed');
    expect(hearing({ platformChatId: 'open', threadId: '6' }, addressedBy)).toBe('addressed');
  },
);

test('a group message that addresses nobody is overheard where the bot answers everything, and not heard elsewhere', () => {
  expect(hearing({})).toBe('none');
  expect(hearing({ platformChatId: 'open' })).toBe('overheard');
  expect(hearing({ platformChatId: 'topics' })).toBe('overheard');
  expect(hearing({ platformChatId: 'topics', threadId: '5', threadKind: 'topic' })).toBe('overheard');
  expect(hearing({ platformChatId: 'topics', threadId: '6' })).toBe('none');
  expect(hearing({ platformChatId: 'one topic' })).toBe('none');
});

test('in a thread the rules of the chat around it apply, and otherwise it matters whether the bot takes part', () => {
  const thread = { threadId: '5', threadKind: 'thread' } as const;
  expect(hearing(thread)).toBe('thread');
  expect(hearing({ ...thread, platformChatId: 'open' })).toBe('overheard');
  expect(hearing({ ...thread, platformChatId: 'topics', threadId: '6' })).toBe('overheard');
  expect(hearing({ ...thread, platformChatId: 'one topic' })).toBe('thread');
});
