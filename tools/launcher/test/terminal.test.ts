import { expect, test } from 'vitest';
import { readableLine } from '../terminal/terminal.ts';

test('of the log lines only warnings and errors reach the terminal, in short', () => {
  expect(readableLine('{"level":"info","msg":"started"}')).toBeUndefined();
  expect(readableLine('{"level":"warn","service":"keys","msg":"slow","stack":"…"}')).toBe('warn slow');
  expect(readableLine('{"level":"error","msg":"request failed","err":{"message":"no route"}}')).toBe(
    'error request failed (no route)',
  );
});

test('a word in a message makes no warning of it, and other text is shown as it is', () => {
  expect(readableLine('{"level":"info","msg":"said \\"level\\":\\"error\\""}')).toBeUndefined();
  expect(readableLine('TypeError: x is not a function')).toBe('TypeError: x is not a function');
  expect(readableLine('  ')).toBeUndefined();
});
