import type { IncomingMessage } from 'node:http';
import { isProxyHeader } from './proxy-headers.ts';

export interface LocalRequestRules {
  /** Addresses from which a connection may come. Defaults to the loopback addresses. */
  isPeer?: (address: string) => boolean;
  /** Further values of `Host`, with their ports, in addition to the loopback ones, such as the name of a container. */
  hosts?: readonly string[];
}

/** Explains to the sender why a request is not local; `null` if it is. */
export type LocalRequestFault = (req: LocalRequest) => string | null;

export type LocalRequest = Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'> & {
  socket: Pick<IncomingMessage['socket'], 'remoteAddress'>;
};

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const loopbackHost = new RegExp(
  `^(?:(?:${label}\\.)*localhost|127(?:\\.${octet}){3}|\\[::1\\])(?::(\\d{1,5}))?$`,
);
const loopbackPeer = new RegExp(`^(?:::1|(?:::ffff:)?127(?:\\.${octet}){3})$`, 'i');
const maxHostLength = 262;
const ownSites = ['same-origin', 'none'];

/**
 * The rule of development mode, in which a request needs no token. It refuses requests from other machines:
 * - A foreign web page makes a visitor's browser send requests here. `Origin` and `Sec-Fetch-Site` reveal it.
 * - The same page points its own name at 127.0.0.1 (DNS rebinding). `Host` still has that name.
 * - A proxy or a tunnel forwards requests of the internet from a loopback address. It adds a header
 * (`proxy-headers.ts`), or uses HTTP/1.0. One that does neither looks like a local program.
 * Unusual forms are refused: a repeated header, an address in another spelling, a trailing dot.
 */
export function createLocalRequestFault(rules: LocalRequestRules = {}): LocalRequestFault {
  const { isPeer = (address) => loopbackPeer.test(address), hosts = [] } = rules;
  return ({ socket, rawHeaders, httpVersion }) => {
    const headers = headersOf(rawHeaders);
    const proxyHeader = [...headers.keys()].find(isProxyHeader);
    const [host = '', ...furtherHosts] = headers.get('host') ?? [];
    if (!isPeer(socket.remoteAddress ?? '')) return 'the connection comes from another machine';
    if (proxyHeader) return `it came through a proxy, which added ${proxyHeader}`;
    if (httpVersion !== '1.1') return 'it is not HTTP/1.1, so it may have come through a proxy';
    if (furtherHosts.length > 0 || !(isLoopbackHost(host) || hosts.includes(host)))
      return 'its Host header does not name this machine';
    if (!isOnly(headers.get('origin'), (origin) => isSameOrigin(origin, host)))
      return 'a page of another origin sent it';
    if (!isOnly(headers.get('sec-fetch-site'), (site) => ownSites.includes(site)))
      return 'a page of another site sent it';
    return null;
  };
}

/** Whether a `Host` is `localhost` or a name under it, 127.0.0.0/8 or `[::1]`, with any port or none. */
export function isLoopbackHost(host: string): boolean {
  if (host.length > maxHostLength) return false;
  const hostMatch = loopbackHost.exec(host.toLowerCase());
  return hostMatch !== null && Number(hostMatch[1] ?? 80) <= 65_535;
}

/** Absent, or present once with a value that passes. */
function isOnly(values: readonly string[] | undefined, passes: (value: string) => boolean): boolean {
  return values === undefined || (values.length === 1 && values.every(passes));
}

/** This server uses plain http, so a page loaded by https came through something else. */
function isSameOrigin(origin: string, host: string): boolean {
  return withoutPort80(origin.toLowerCase()) === `http://${withoutPort80(host.toLowerCase())}`;
}

const withoutPort80 = (text: string): string => text.replace(/:80$/, '');

/** Reads the raw list, because Node drops a second `Host` and joins other headers. */
function headersOf(raw: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = String(raw[at]).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), String(raw[at + 1])]);
  }
  return headers;
}
