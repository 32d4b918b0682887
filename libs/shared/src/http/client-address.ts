import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';

const mappedV4 = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;
const nobody = '0.0.0.0';

/**
 * The client's address as forwarded by the gateway, in the one spelling that policies understand. Call it only for a
 * request whose signed identity was verified: that proves that the header is the gateway's.
 */
export function clientAddressOf(req: Pick<IncomingMessage, 'headers' | 'socket'>): string {
  const told = req.headers['x-forwarded-for'];
  return spelled(typeof told === 'string' && isIP(told) !== 0 ? told : req.socket.remoteAddress);
}

/** Removes the zone. IPv4 mapped into IPv6 becomes IPv4, and IPv6 is shortened. */
function spelled(address = nobody): string {
  const plain = address.replace(/%.*$/, '').replace(mappedV4, '');
  return isIPv6(plain) ? new URL(`http://[${plain}]`).hostname.slice(1, -1) : plain;
}
