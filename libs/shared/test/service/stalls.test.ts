import { expect, test } from 'vitest';
import { createLog } from '../../src/log/log.ts';
import { StallMonitor } from '../../src/service/stalls.ts';

const cause = { reason: 'the consumer is refused', remedy: 'Restart the older processes.' };

function monitor() {
  const lines: { level: number; msg: string }[] = [];
  const log = createLog('agents', 'info', { write: (line) => void lines.push(JSON.parse(line)) });
  const clock = { ms: 0 };
  return { clock, lines, stalls: new StallMonitor({ log, now: () => clock.ms }) };
}

test('rule 22: a part that fails for 5 s is shown with its reason, and logged once', () => {
  const { clock, lines, stalls } = monitor();
  for (clock.ms = 0; clock.ms <= 4750; clock.ms += 250) stalls.failed('events of webhooks', cause);
  clock.ms = 4999;
  expect(stalls.list()).toEqual([]);
  expect(lines).toEqual([]);
  for (clock.ms = 5000; clock.ms < 60_000; clock.ms += 250) stalls.failed('events of webhooks', cause);
  expect(stalls.list()).toMatchObject([{ part: 'events of webhooks', ...cause, seconds: 60 }]);
  expect(lines).toMatchObject([
    { msg: 'stalled: events of webhooks: the consumer is refused. Restart the older processes.' },
  ]);
});

test('rule 22: another reason is logged again, and the recovery is logged with its duration', () => {
  const { clock, lines, stalls } = monitor();
  stalls.failed('outbox', cause);
  clock.ms = 6000;
  stalls.failed('outbox', cause);
  stalls.failed('outbox', { ...cause, reason: 'the stream is full' });
  clock.ms = 9000;
  stalls.recovered('outbox');
  expect(stalls.list()).toEqual([]);
  expect(lines.map(({ msg }) => msg)).toEqual([
    expect.stringContaining('the consumer is refused'),
    expect.stringContaining('the stream is full'),
    'no longer stalled: outbox',
  ]);
  expect(lines.at(-1)).toMatchObject({ seconds: 9, failures: 3 });
});

test('a hiccup that ends within 5 s leaves no trace', () => {
  const { clock, lines, stalls } = monitor();
  stalls.failed('outbox', cause);
  clock.ms = 4900;
  stalls.recovered('outbox');
  stalls.failed('outbox', cause);
  clock.ms = 9000;
  stalls.failed('outbox', cause);
  expect(stalls.list()).toEqual([]);
  expect(lines).toEqual([]);
});
