import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Semaphore } from '../../src/work/semaphore.ts';

/** Work that ends on demand; records its name when it starts. */
function workOf(begun: string[], name: string) {
  const end = Promise.withResolvers<void>();
  const work = async () => {
    begun.push(name);
    await end.promise;
    return name;
  };
  return { work, end: () => end.resolve() };
}

test('at most as much work runs concurrently as there are slots, and tenants take turns', async () => {
  const semaphore = new Semaphore(1);
  const begun: string[] = [];
  const jobs = ['loud 1', 'loud 2', 'loud 3', 'quiet 1'].map((name) => workOf(begun, name));
  const done = jobs.map(({ work }, index) => semaphore.run(index < 3 ? 'loud' : 'quiet', work));
  for (const [index, expected] of [
    ['loud 1'],
    ['loud 1', 'loud 2'],
    ['loud 1', 'loud 2', 'quiet 1'],
  ].entries()) {
    await turnOfTheLoop();
    expect(begun).toEqual(expected);
    jobs[[0, 1, 3][index] ?? 0]?.end();
  }
  jobs[2]?.end();
  await expect(Promise.all(done)).resolves.toEqual(['loud 1', 'loud 2', 'loud 3', 'quiet 1']);
});

test('work that waits for something else holds no slot, and gets one again in turn', async () => {
  const semaphore = new Semaphore(1);
  const begun: string[] = [];
  const answer = Promise.withResolvers<string>();
  const other = workOf(begun, 'other');
  const asking = semaphore.run('one', async (releaseWhile) => {
    const said = await releaseWhile(() => answer.promise);
    begun.push('back');
    return said;
  });
  const working = semaphore.run('two', other.work);
  await turnOfTheLoop();
  expect(begun).toEqual(['other']);
  answer.resolve('said');
  await turnOfTheLoop();
  expect(begun).toEqual(['other']);
  other.end();
  await expect(asking).resolves.toBe('said');
  await expect(working).resolves.toBe('other');
});

test('failing work releases its slot, inside and outside', async () => {
  const semaphore = new Semaphore(1);
  const failing = async () => {
    throw new Error('no');
  };
  await expect(semaphore.run('one', failing)).rejects.toThrow('no');
  await expect(semaphore.run('one', (releaseWhile) => releaseWhile(failing))).rejects.toThrow('no');
  await expect(semaphore.run('two', async () => 'done')).resolves.toBe('done');
});
