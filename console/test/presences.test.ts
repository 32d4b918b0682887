import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Presences } from '../src/pages/inbox/presences.ts';

const ada = { chatId: 'chat', userId: 'ada', name: 'Ada Okafor' };
let presences: Presences;
let changes: number;

beforeEach(() => {
  vi.useFakeTimers();
  presences = new Presences();
  changes = 0;
  presences.watch(() => {
    changes += 1;
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const present = () => presences.of('chat').map(({ name, state }) => `${name} ${state}`);

test('a colleague is shown until they leave', () => {
  presences.hear({ ...ada, state: 'here' });
  presences.hear({ ...ada, state: 'typing' });
  expect(present()).toEqual(['Ada Okafor typing']);
  presences.hear({ ...ada, state: 'gone' });
  expect(present()).toEqual([]);
  expect(presences.of('other chat')).toEqual([]);
});

test('a colleague whose tab was closed is gone 15 seconds after their last event', () => {
  presences.hear({ ...ada, state: 'here' });
  vi.advanceTimersByTime(10_000);
  presences.hear({ ...ada, state: 'here' });
  vi.advanceTimersByTime(14_999);
  expect(present()).toEqual(['Ada Okafor here']);
  vi.advanceTimersByTime(1);
  expect(present()).toEqual([]);
});

test('an event that only renews a presence draws nothing again', () => {
  presences.hear({ ...ada, state: 'here' });
  const before = presences.of('chat');
  presences.hear({ ...ada, state: 'here' });
  expect(presences.of('chat')).toBe(before);
  expect(changes).toBe(1);
});

test('after a gap in the events everybody is forgotten', () => {
  presences.hear({ ...ada, state: 'here' });
  presences.clear();
  expect(present()).toEqual([]);
});
