import { isIP } from 'node:net';

const mappedV4 = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/**
 * The client's address in one spelling. `claimed` is the address that the trusted proxies report; if it isn't an IP
 * address, the connection's own address is used.
 */
export function clientAddress(claimed: string | undefined, connected: string | undefined): string {
  const address = claimed !== undefined && isIP(claimed) !== 0 ? claimed : (connected ?? '');
  return address.replace(mappedV4, '');
}
