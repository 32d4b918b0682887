import { isIP } from 'node:net';

const mappedV4 = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/**
 * The client's address in one spelling. `claimed` is what the trusted proxies say; where that is no address,
 * the connection's own counts.
 */
export function clientAddress(claimed: string | undefined, connected: string | undefined): string {
  const address = claimed !== undefined && isIP(claimed) !== 0 ? claimed : (connected ?? '');
  return address.replace(mappedV4, '');
}
