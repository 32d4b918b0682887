import { OpenStreams } from '@botyard/shared/http/open-streams';
import { expect, test } from 'vitest';
import { limitsOfPages } from '../../src/clients/upstream.ts';

/** Opens streams until one is refused. */
function openAll(streams: OpenStreams, callerOf: (count: number) => string, tenantId: string): number {
  for (let count = 0; ; count += 1) {
    try {
      streams.open(callerOf(count), tenantId);
    } catch {
      return count;
    }
  }
}

test('chats of one address, or of one tenant, leave the others theirs at the gateway', () => {
  const streams = new OpenStreams(limitsOfPages);
  expect(openAll(streams, () => '192.0.2.1', 'one')).toBe(500);
  expect(openAll(streams, (count) => `office ${count}`, 'one')).toBe(1500);
  expect(openAll(streams, (count) => `another ${count}`, 'two')).toBe(2000);
  expect(openAll(streams, (count) => `third ${count}`, 'three')).toBe(500);
  expect(openAll(streams, (count) => `fourth ${count}`, 'four')).toBe(50);
});
