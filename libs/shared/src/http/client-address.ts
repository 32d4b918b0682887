import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';

const mappedV4 = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;
const nobody = '0.0.0.0';

/**
 * The client's address as the gateway forwards it, in the one spelling that policies understand. Only to be asked of a
 * request whose signed identity was verified: that says that the hop, and so the header, is the gateway's.
 */
export function clientAddressOf(req: Pick<IncomingMessage, 'headers' | 'socket'>): string {
  const told = req.headers['x-forwarded-for'];
  return spelled(typeof told === 'string' && isIP(told) !== 0 ? told : req.socket.remoteAddress);
}

/** Without a zone, IPv4 as such, IPv6 in its shortest form. */
function spelled(address = nobody): string {
  const plain = address.replace(/%.*$/, '').replace(mappedV4, '');
  return isIPv6(plain) ? new URL(`http://[${plain}]`).hostname.slice(1, -1) : plain;
}
