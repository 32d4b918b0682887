import { expect, test } from 'vitest';
import { createLog, rememberingLines } from '../../src/log/log.ts';
import { LogRing } from '../../src/system/log-ring.ts';
import { searchLog } from '../../src/system/log-search.ts';

const silent = { write: () => undefined };
function remembered(options?: ConstructorParameters<typeof LogRing>[0]) {
  const ring = new LogRing(options);
  return { ring, log: createLog('keys', 'trace', rememberingLines(ring, silent)) };
}
const all = { level: 'trace', limit: 500 } as const;

test('finds lines by level, text and time, up to a limit, newest first', () => {
  const { ring, log } = remembered();
  log.info({ color: 'Blue' }, 'first');
  log.warn('second');
  log.error('third');
  const messages = (query: object) => searchLog(ring, { ...all, ...query }).map(({ message }) => message);
  expect(messages({ level: 'warn' }).sort()).toEqual(['second', 'third']);
  expect(messages({ text: 'bLUE' })).toEqual(['first']);
  expect(messages({ limit: 2 })).toHaveLength(2);
  const [newest] = searchLog(ring, all);
  expect(messages({ before: newest?.at })).not.toContain(newest?.message);
  expect(messages({ since: '2999-01-01T00:00:00.000Z' })).toEqual([]);
});

test('a flood of requests pushes out no warning, and the memory is bounded', () => {
  const { ring, log } = remembered({ lines: 10, loudLines: 5 });
  log.warn('remember me');
  for (let n = 0; n < 1000; n += 1) log.info({ n }, 'request');
  const matches = searchLog(ring, all);
  expect(matches).toHaveLength(11);
  expect(matches.map(({ message }) => message)).toContain('remember me');
});

test('secrets are blotted out, at every depth and in every text', () => {
  const { ring, log } = remembered();
  const token = `123456789:${'A'.repeat(35)}`;
  log.info({ apiKey: 'canary', deep: { list: [`said ${token}`] } }, `hello sk-${'x'.repeat(20)}`);
  log.error({ err: new Error(`postgres://u:canary@host failed with Bearer canary.${'y'.repeat(9)}`) }, 'oh');
  const text = JSON.stringify(searchLog(ring, all));
  for (const secret of ['canary', token, 'xxxxx', 'yyyyy']) {
    expect(text).not.toContain(secret);
    expect(searchLog(ring, { ...all, text: secret })).toEqual([]);
  }
});

test('an answer fits into one message of the bus', () => {
  const { ring, log } = remembered();
  for (let n = 0; n < 500; n += 1) log.info({ text: 'ä'.repeat(5000) }, 'long');
  expect(JSON.stringify(searchLog(ring, all)).length).toBeLessThan(300_000);
});
