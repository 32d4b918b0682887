import { expect, test } from 'vitest';
import { RecordLog } from '../src/fake/record-log.ts';

test('waitFor finds existing, later and changed records', async () => {
  const log = new RecordLog<{ name: string; isDone: boolean }>();
  const early = { name: 'early', isDone: false };
  log.add(early);
  expect(await log.waitFor((one) => one.name === 'early')).toBe(early);
  const later = log.waitFor((one) => one.name === 'later');
  const done = log.waitFor((one) => one.isDone);
  log.add({ name: 'later', isDone: false });
  expect((await later).name).toBe('later');
  early.isDone = true;
  log.touch(early);
  expect(await done).toBe(early);
});

test('waitFor rejects at its deadline and shows the newest records', async () => {
  const log = new RecordLog<{ name: string }>();
  log.add({ name: 'something else' });
  await expect(log.waitFor(() => false, { timeoutMs: 5 })).rejects.toThrow(
    /within 5 ms; 1 recorded.*something else/,
  );
});

test('only the newest records are kept', () => {
  const log = new RecordLog<number>(4);
  for (let number = 1; number <= 20; number += 1) log.add(number);
  expect(log.last).toBe(20);
  expect(log.count).toBeLessThanOrEqual(5);
});
