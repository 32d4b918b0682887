import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';

const mappedV4 = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;
const nobody = '0.0.0.0';

/**
 * The client's address as forwarded by the gateway, in the one spelling that policies understand. Call it only for a
 * request whose signed identity was verified: that proves that the header is the gateway's.
 */
export function clientAddressOf(req: Pick<IncomingMessage, 'headers' | 'socket'>): string {
  const forwardedFor = req.headers['x-forwarded-for'];
  return spelled(
    typeof forwardedFor === 'string' && isIP(forwardedFor) !== 0 ? forwardedFor : req.socket.remoteAddress,
  );
}

/** The addresses that one client usually has: a whole /64 of IPv6. Shares are given to these. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [first = '', rest] = address.split('::');
  const before = first.split(':').filter(Boolean);
  const after = (rest ?? '').split(':').filter(Boolean);
  const zeros = rest === undefined ? 0 : 8 - before.length - after.length;
  return `${[...before, ...new Array<string>(zeros).fill('0'), ...after].slice(0, 4).join(':')}::/64`;
}

/** Removes the zone. IPv4 mapped into IPv6 becomes IPv4, and IPv6 is shortened. */
function spelled(address = nobody): string {
  const plain = address.replace(/%.*$/, '').replace(mappedV4, '');
  return isIPv6(plain) ? new URL(`http://[${plain}]`).hostname.slice(1, -1) : plain;
}
