import { expect, test } from 'vitest';
import { runInProcess } from '../../src/work/limited-process.ts';

const file = new URL('./tasks/limited-task.ts', import.meta.url);
const run = (what: string, limits = {}, signal = new AbortController().signal) =>
  runInProcess(file, what, { signal, limits: { timeoutMs: 20_000, maxMegabytes: 64, ...limits } });

test('the result of a task comes back, and its refusal in its own words', async () => {
  expect(await run('hello')).toBe('hello');
  await expect(run('refuses')).rejects.toMatchObject({ name: 'TaskRefusal', message: 'not this one' });
});

test('a process sees no environment variable of its caller', async () => {
  process.env.BOTYARD_TEST_SECRET = 'secret';
  expect(JSON.stringify(await run('environment'))).not.toContain('BOTYARD_TEST_SECRET');
  delete process.env.BOTYARD_TEST_SECRET;
});

test.each([
  ['buffers', 'memory'],
  ['objects', 'memory'],
  ['watched buffers', 'memory'],
  ['calls', 'depth'],
])(
  'a task that takes %s without end is ended, and the memory of its caller stays the same',
  async (what, fault) => {
    const before = process.memoryUsage.rss();
    await expect(run(what)).rejects.toMatchObject({ name: 'TaskError', fault });
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
  },
);

test('a task that takes processor time without end is ended', async () => {
  await expect(run('time', { timeoutMs: 1000 })).rejects.toMatchObject({ fault: 'timeout' });
});

test('a task that waits without end is ended', async () => {
  await expect(run('waits', { timeoutMs: 50 })).rejects.toMatchObject({ fault: 'timeout' });
});

test('a caller that stops waiting ends the process', async () => {
  const stopping = new AbortController();
  const waiting = run('waits', {}, stopping.signal);
  stopping.abort(new Error('stopping'));
  await expect(waiting).rejects.toThrow('stopping');
});
