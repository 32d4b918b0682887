import { expect, onTestFinished, test } from 'vitest';
import { gather } from '../src/api/gather.ts';

/** Work that goes on until the test ends it, and what asks for it. */
function gathered() {
  const begun: PromiseWithResolvers<void>[] = [];
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  let running = 0;
  let mostAtOnce = 0;
  const work = async () => {
    const one = Promise.withResolvers<void>();
    begun.push(one);
    mostAtOnce = Math.max(mostAtOnce, ++running);
    await one.promise.finally(() => running--);
  };
  const pauses: PromiseWithResolvers<void>[] = [];
  const pause = () => {
    pauses.push(Promise.withResolvers());
    return pauses.at(-1)?.promise ?? Promise.resolve();
  };
  const ask = gather(work, { signal: leaving.signal, pause });
  return { begun, pauses, leaving, ask, mostAtOnce: () => mostAtOnce };
}

/** Everything that has been resolved has had its consequences. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Ends the work that was begun last, and the pause after it. */
async function endLast({ begun, pauses }: ReturnType<typeof gathered>): Promise<void> {
  begun.at(-1)?.resolve();
  await settle();
  pauses.at(-1)?.resolve();
  await settle();
}

test('the first request runs immediately, and all requests during a run share exactly one more run', async () => {
  const gathering = gathered();
  const { begun, ask, mostAtOnce } = gathering;
  ask();
  expect(begun).toHaveLength(1);
  for (let times = 0; times < 50; times++) ask();
  expect(begun).toHaveLength(1);
  await endLast(gathering);
  expect(begun).toHaveLength(2);
  await endLast(gathering);
  expect(begun).toHaveLength(2);
  ask();
  expect(begun).toHaveLength(3);
  expect(mostAtOnce()).toBe(1);
});

test('a request during the pause is served after it', async () => {
  const { begun, pauses, ask } = gathered();
  ask();
  begun[0]?.resolve();
  await settle();
  ask();
  await settle();
  expect(begun).toHaveLength(1);
  pauses[0]?.resolve();
  await settle();
  expect(begun).toHaveLength(2);
});

test('after a failed run, pending requests and the next request run again', async () => {
  const { begun, pauses, ask } = gathered();
  for (const round of [0, 1]) {
    ask();
    ask();
    begun[round]?.reject(new Error('the service is away'));
    await settle();
    pauses[round]?.resolve();
    await settle();
    expect(begun).toHaveLength(round + 2);
  }
});

test('nothing starts after the signal is aborted', async () => {
  const gathering = gathered();
  const { begun, leaving, ask } = gathering;
  ask();
  ask();
  leaving.abort();
  await endLast(gathering);
  ask();
  await settle();
  expect(begun).toHaveLength(1);
});
