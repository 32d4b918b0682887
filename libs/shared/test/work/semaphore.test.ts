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
    ['loud 1', 'quiet 1'],
    ['loud 1', 'quiet 1', 'loud 2'],
  ].entries()) {
    await turnOfTheLoop();
    expect(begun).toEqual(expected);
    jobs[[0, 3, 1][index] ?? 0]?.end();
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

test('an owner has no more slots than its share, even while others are free', async () => {
  const semaphore = new Semaphore(3, { maxOfOne: 2 });
  const [first] = [await semaphore.acquire('loud'), await semaphore.acquire('loud')];
  let isThird = false;
  const third = semaphore.acquire('loud').then(() => {
    isThird = true;
  });
  await semaphore.acquire('quiet');
  await turnOfTheLoop();
  expect(isThird).toBe(false);
  first();
  await third;
});

test('whoever waits for too long, or has too much waiting, gets 503, and takes no later slot', async () => {
  const semaphore = new Semaphore(1, { maxWaitMs: 30, maxWaitingOfOne: 2, maxWaiting: 3 });
  const release = await semaphore.acquire('other');
  const attempts = ['a', 'a', 'a', 'b', 'c'].map((owner) => semaphore.acquire(owner));
  const refusal = { status: 503, retryAfterSeconds: 1 };
  await expect(attempts[2]).rejects.toMatchObject(refusal);
  await expect(attempts[4]).rejects.toMatchObject(refusal);
  for (const late of [0, 1, 3]) await expect(attempts[late]).rejects.toMatchObject(refusal);
  expect(semaphore.waiting).toBe(0);
  release();
  release();
  const again = await semaphore.acquire('a');
  await expect(semaphore.acquire('b', 10)).rejects.toMatchObject(refusal);
  again();
});

test('a thousand pieces of one owner delay another owner by one piece at most', async () => {
  const semaphore = new Semaphore(2);
  const begun: string[] = [];
  const run = (owner: string) =>
    semaphore.run(owner, async () => {
      begun.push(owner);
      await turnOfTheLoop();
    });
  const all = Array.from({ length: 1000 }, () => run('loud'));
  all.push(run('quiet'));
  await Promise.all(all);
  expect(begun.indexOf('quiet')).toBeLessThan(4);
});
