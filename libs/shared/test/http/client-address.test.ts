import type { IncomingMessage } from 'node:http';
import { clientAddressOf } from '@botyard/shared/http/client-address';
import { expect, test } from 'vitest';

const addressFor = (
  forwardedFor: string | string[] | undefined,
  remoteAddress: string | undefined = '127.0.0.1',
) =>
  clientAddressOf({
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
    socket: { remoteAddress },
  } as unknown as IncomingMessage);

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::192.0.2.1', '::c000:201'],
])("the gateway's header %s is read as %s", (header, seen) => {
  expect(addressFor(header)).toBe(seen);
});

test.each(['', 'unknown', '192.0.2.1, 198.51.100.1', '1.2.3', '[::1]', '10.0.0.1/8'])(
  "if it contains no address, as in %j, the connection's address is used",
  (header) => {
    expect(addressFor(header, '::ffff:198.51.100.7')).toBe('198.51.100.7');
  },
);

test('a connection that has ended already has an unassigned address', () => {
  expect(clientAddressOf({ headers: {}, socket: {} } as unknown as IncomingMessage)).toBe('0.0.0.0');
});
