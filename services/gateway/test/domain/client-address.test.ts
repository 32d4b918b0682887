import { expect, test } from 'vitest';
import { clientAddress } from '../../src/domain/client-address.ts';

test.each([
  ['203.0.113.7', '127.0.0.1', '203.0.113.7'],
  ['::ffff:203.0.113.7', '127.0.0.1', '203.0.113.7'],
  ['2001:db8::1', '::1', '2001:db8::1'],
  ['unknown', '::ffff:127.0.0.1', '127.0.0.1'],
  ['203.0.113.7:4711', '10.0.0.1', '10.0.0.1'],
  [undefined, '10.0.0.1', '10.0.0.1'],
])('%s through %s is %s', (claimed, connected, address) => {
  expect(clientAddress(claimed, connected)).toBe(address);
});
