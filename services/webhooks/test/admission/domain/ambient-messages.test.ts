import { expect, test } from 'vitest';
import { AmbientMessages } from '../../../src/admission/domain/ambient-messages.ts';

test('each group has its own limit of 20 ambient messages a minute, under any load', () => {
  const ambientMessages = new AmbientMessages();
  const takenAt = (nowMs: number, chat = '-1') =>
    Array.from({ length: 1000 }, () => ambientMessages.admits('bot', chat, nowMs)).filter(Boolean).length;
  expect(takenAt(0)).toBe(20);
  expect(takenAt(0)).toBe(0);
  expect(takenAt(0, '-2')).toBe(20);
  expect(takenAt(2999)).toBe(0);
  expect(takenAt(3000)).toBe(1);
  expect(takenAt(600_000)).toBe(20);
});
