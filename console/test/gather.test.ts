import { eventually } from '@botyard/testing/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { gather } from '../src/api/gather.ts';

/** Work that goes on until it is ended, and what asks for it. */
function gathered() {
  const begun: PromiseWithResolvers<void>[] = [];
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const work = async () => {
    const one = Promise.withResolvers<void>();
    begun.push(one);
    await one.promise;
  };
  return { begun, leaving, ask: gather(work, { signal: leaving.signal, pauseMs: 1 }) };
}

test('the first that asks waits for nothing, and all that ask meanwhile are served by one more', async () => {
  const { begun, ask } = gathered();
  ask();
  expect(begun).toHaveLength(1);
  for (let times = 0; times < 50; times++) ask();
  expect(begun).toHaveLength(1);
  begun[0]?.resolve();
  await eventually('it is done again', () => begun.length === 2);
  begun[1]?.resolve();
  await eventually('nobody is served any longer', () => {
    ask();
    return begun.length === 3;
  });
});

test('what fails is done again for the next that asks', async () => {
  const { begun, ask } = gathered();
  ask();
  ask();
  begun[0]?.reject(new Error('the service is away'));
  await eventually('it is done again', () => begun.length === 2);
});

test('nothing begins once nobody wants it any longer', async () => {
  const { begun, leaving, ask } = gathered();
  ask();
  ask();
  leaving.abort();
  begun[0]?.resolve();
  await begun[0]?.promise;
  ask();
  expect(begun).toHaveLength(1);
});
