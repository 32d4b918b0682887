import type { FakePlatform } from '../fake/fake-server.ts';
import type { HeldSends } from './driver.ts';

/** Holds the calls of an operation with which messages are sent. */
export function heldSends(fake: FakePlatform, operation: string): HeldSends {
  const count = () => fake.calls.filter((call) => call.operation === operation).length;
  const before = count();
  const letGo = fake.hold(operation);
  return { count: () => count() - before, letGo };
}
