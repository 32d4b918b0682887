import { eventually } from '@botyard/testing/eventually';
import { afterAll, expect, test } from 'vitest';
import { ThreadPool } from '../../src/work/thread-pool.ts';
import type { tasks } from './test-thread.ts';

const options = { file: new URL('./test-thread.ts', import.meta.url), maxMegabytes: 64 };
const pool = new ThreadPool<typeof tasks>({ ...options, maxWaiting: 3 });
afterAll(() => pool.stop());

const own = { owner: 'tenant', timeoutMs: 20_000 };

test('does tasks in a thread that is used again, and that has no environment', async () => {
  expect(await pool.run('double', 21, own)).toBe(42);
  expect([await pool.run('count', undefined, own), await pool.run('count', undefined, own)]).toEqual([1, 2]);
  expect(await pool.run('environment', undefined, own)).toEqual([]);
});

test("a task's refusal is reported, and the thread is kept", async () => {
  const before = await pool.run('count', undefined, own);
  await expect(pool.run('refuse', 'it is no PDF', own)).rejects.toMatchObject({
    name: 'TaskRefusal',
    message: 'it is no PDF',
  });
  await expect(pool.run('nest', undefined, own)).rejects.toMatchObject({ fault: 'depth' });
  expect(await pool.run('count', undefined, own)).toBe(before + 1);
});

test('a fault of ours keeps its cause', async () => {
  const error = await pool.run('fail', undefined, own).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ fault: 'failed' });
  expect(String((error as Error).cause)).toContain('TypeError: a fault of ours');
});

test.each([
  ['hang', 'timeout'],
  ['hoard', 'memory'],
  ['inflate', 'memory'],
  ['exit', 'failed'],
] as const)('W-13: %s ends with its thread (%s), and the next task is done', async (name, fault) => {
  const timeoutMs = name === 'hang' ? 100 : 60_000;
  await expect(pool.run(name, undefined, { ...own, timeoutMs })).rejects.toMatchObject({ fault });
  expect(await pool.run('double', 2, own)).toBe(4);
});

test('time without use of a processor counts for a tenth, and a task that waits forever is ended', async () => {
  expect(await pool.run('rest', 2000, { ...own, timeoutMs: 1000 })).toBe('rested');
  const forEver = pool.run('rest', 3_600_000, { ...own, timeoutMs: 50 });
  await expect(forEver).rejects.toMatchObject({ fault: 'timeout' });
});

test('owners take turns, and the number of waiting tasks per owner is limited', async () => {
  const ended: string[] = [];
  const end = (name: string) => () => void ended.push(name);
  const hang = () => pool.run('hang', undefined, { owner: 'flooding', timeoutMs: 100 }).catch(end('slow'));
  const slow = [hang(), hang(), hang(), hang()];
  const quick = [1, 2].map((one) => pool.run('double', one, { ...own, owner: 'quiet' }).then(end('quick')));
  await expect(pool.run('double', 1, { ...own, owner: 'flooding' })).rejects.toMatchObject({ fault: 'busy' });
  await Promise.all([...slow, ...quick]);
  expect(ended).toEqual(['slow', 'quick', 'slow', 'quick', 'slow', 'slow']);
});

test('a signal ends a task that runs and one that waits', async () => {
  const stopping = new AbortController();
  const ends = [1, 2].map(() => pool.run('hang', undefined, { ...own, signal: stopping.signal }));
  stopping.abort(new Error('stopping'));
  for (const end of ends) await expect(end).rejects.toThrow('stopping');
  expect(await pool.run('double', 3, own)).toBe(6);
  await expect(pool.run('double', 1, { ...own, signal: stopping.signal })).rejects.toThrow('stopping');
});

test('buffers that are transferred are moved', async () => {
  const bytes = new Uint8Array(1000);
  expect(await pool.run('sizeOf', bytes, { ...own, transfer: [bytes.buffer] })).toBe(1000);
  expect(bytes.length).toBe(0);
});

test('a pool without a task ends its threads, and one that was stopped begins again', async () => {
  const short = new ThreadPool<typeof tasks>({ ...options, threads: 2, idleMs: 1 });
  await Promise.all([short.run('count', undefined, own), short.run('count', undefined, own)]);
  await eventually('it counts anew', async () => (await short.run('count', undefined, own)) === 1);
  const hanging = short.run('hang', undefined, own);
  const ended = expect(hanging).rejects.toMatchObject({ fault: 'failed' });
  await short.stop();
  await ended;
  expect(await short.run('double', 4, own)).toBe(8);
  await short.stop();
});
