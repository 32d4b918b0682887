import type { FakePlatform } from '../fake/fake-server.ts';
import type { HeldSends } from './driver.ts';

/** Holds the calls of an operation with which messages are sent, and counts those with these words. */
export function heldSends(fake: FakePlatform, operation: string, words: string): HeldSends {
  const count = () =>
    fake.calls.filter((call) => call.operation === operation && JSON.stringify(call.params).includes(words))
      .length;
  const before = count();
  const letGo = fake.hold(operation);
  return { count: () => count() - before, letGo };
}
