import { isIP } from 'node:net';
import { isPublicAddress } from '@botyard/shared/http/egress/public-address';
import { unprocessable } from '@botyard/shared/http/errors';

/**
 * The address in its normal form. Names are resolved and checked by the egress guard with every connection.
 * @throws HttpError 422 for one that the guard would refuse in any case.
 */
export function serverAddress(address: string, allowedHosts: readonly string[]): URL {
  const url = URL.parse(address);
  if (!url) throw unprocessable('url: this is not an address');
  if (url.username || url.password)
    throw unprocessable('url: the address has a password in it: use the authorization');
  if (url.hash) throw unprocessable('url: the address has a fragment: leave it out');
  if (!allowedHosts.includes(url.host)) refusePrivate(url);
  return url;
}

function refusePrivate({ protocol, port, hostname }: URL): void {
  if (protocol !== 'https:') throw unprocessable('url: only https is called');
  if (port !== '') throw unprocessable('url: only the standard port of https is called');
  const host = hostname.replace(/^\[|\]$/g, '');
  const isLocal = host === 'localhost' || host.endsWith('.localhost');
  if (isLocal || (isIP(host) && !isPublicAddress(host)))
    throw unprocessable('url: the host is not on the public internet');
}
