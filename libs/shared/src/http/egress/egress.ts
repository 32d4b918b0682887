import { lookup as lookUpHost, Resolver } from 'node:dns/promises';
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/**
 * `refused`: the address isn't allowed. `failed`: no response, or not HTTP. `too large`: only for streamed responses.
 */
type EgressFault = 'refused' | 'failed' | 'timeout' | 'too large';

export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly fault: EgressFault;

  constructor(fault: EgressFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

interface EgressRequest {
  method?: 'GET' | 'POST' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Limit on how much of the response's body is read. */
  maxBytes: number;
  /** Covers everything: name resolution, connection, response. */
  timeoutMs: number;
  signal?: AbortSignal;
}

export interface EgressAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The body exceeded `maxBytes`. */
  isCut: boolean;
}

/** A response whose body is read as it arrives. */
interface EgressStream {
  status: number;
  headers: IncomingHttpHeaders;
  /** @throws EgressError `too large` beyond `maxBytes`. */
  content: AsyncIterable<Buffer>;
}

export interface Egress {
  /**
   * Calls an address that a tenant or a stranger can influence (REQ-REL-17). Only https on its standard port is
   * allowed, no redirects are followed, and the address that the socket connects to must be public, whatever the name
   * resolves to.
   * @throws EgressError; the signal's own reason.
   */
  request(url: string, request: EgressRequest): Promise<EgressAnswer>;
  /**
   * Like `request`, for a response that `read` consumes in parts; the connection ends with it. Errors of `read` pass
   * through while the response is intact.
   * @throws like `request`.
   */
  stream<Result>(
    url: string,
    request: EgressRequest,
    read: (answer: EgressStream) => Promise<Result>,
  ): Promise<Result>;
}

/** Resolves a name to its addresses. */
export type ResolveHost = (host: string) => Promise<string[]>;

interface EgressOptions {
  /** `host` or `host:port` trusted by the operator: plain http, any port and private addresses are allowed there. */
  allowedHosts: readonly string[];
  /** For tests. */
  resolveHost?: ResolveHost;
}

export function createEgress({ allowedHosts, resolveHost = resolvePublicly }: EgressOptions): Egress {
  const vouchedFor = new Set(allowedHosts);
  const reach = async <Result>(given: string, request: EgressRequest, read: ReadAnswer<Result>) => {
    const url = parseAddress(given);
    const isVouchedFor = vouchedFor.has(url.host);
    if (!isVouchedFor) checkAddress(url);
    const isFine = isVouchedFor ? () => true : isPublicAddress;
    const resolve = isVouchedFor ? resolveOwn : resolveHost;
    const late = AbortSignal.timeout(request.timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, late]) : late;
    try {
      return await send(url, request, { signal, isFine, lookup: lookupWith(resolve, isFine), read });
    } catch (error) {
      request.signal?.throwIfAborted();
      if (late.aborted) throw new EgressError('timeout', 'there was no answer in time');
      if (error instanceof EgressError || error instanceof ReaderError) throw error;
      throw new EgressError('failed', 'the host could not be reached', { cause: error });
    }
  };
  return {
    request: (url, request) =>
      reach(url, request, async (incoming) => ({
        ...aboutAnswer(incoming),
        ...(await readStart(incoming, request.maxBytes)),
      })),
    stream: async (url, request, read) => {
      try {
        return await reach(url, request, (incoming) =>
          read({ ...aboutAnswer(incoming), content: bounded(incoming, request.maxBytes) }).catch(
            // The connection broke, unless the response was complete.
            (error: unknown) => Promise.reject(incoming.errored ? incoming.errored : new ReaderError(error)),
          ),
        );
      } catch (error) {
        throw error instanceof ReaderError ? error.cause : error;
      }
    },
  };
}

type ReadAnswer<Result> = (incoming: IncomingMessage) => Promise<Result>;

/** Separates an error of the response's reader from connection errors. */
class ReaderError extends Error {
  override readonly name = 'ReaderError';

  constructor(cause: unknown) {
    super('the answer could not be used', { cause });
  }
}

const aboutAnswer = ({ statusCode = 0, headers }: IncomingMessage) => ({ status: statusCode, headers });

async function* bounded(incoming: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new EgressError('too large', 'the answer is longer than it may be');
    yield chunk;
  }
}

function parseAddress(given: string): URL {
  const url = URL.parse(given);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new EgressError('refused', 'this is no https address');
  if (url.username || url.password) throw new EgressError('refused', 'the address has a password in it');
  return url;
}

/** Checks before name resolution. The URL parser has already normalized `0x7f.1` and `2130706433`. */
function checkAddress({ protocol, port, hostname }: URL): void {
  if (protocol !== 'https:') throw new EgressError('refused', 'only https is called');
  if (port !== '') throw new EgressError('refused', 'only the standard port is called');
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) && !isPublicAddress(address)) throw notPublic();
}

const notPublic = () => new EgressError('refused', 'the host is not on the public internet');

interface Sending<Result> {
  signal: AbortSignal;
  isFine: (address: string) => boolean;
  lookup: LookupFunction;
  read: ReadAnswer<Result>;
}

/** Every request has its own connection, so that every address is checked. */
async function send<Result>(
  url: URL,
  { method = 'GET', headers = {}, body }: EgressRequest,
  { signal, isFine, lookup, read }: Sending<Result>,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const options: RequestOptions = {
    method,
    headers: { ...headers, 'accept-encoding': 'identity', connection: 'close' },
    agent: false,
    lookup,
    signal,
  };
  const outgoing = url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options);
  outgoing.once('error', reject);
  outgoing.once('socket', (socket: Socket) => {
    socket.once('connect', () => {
      if (!isFine(socket.remoteAddress ?? '')) outgoing.destroy(notPublic());
    });
  });
  outgoing.once('response', (incoming) => {
    read(incoming)
      .then(resolve, reject)
      .finally(() => outgoing.destroy());
  });
  outgoing.end(body);
  return await promise;
}

async function readStart(
  incoming: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<Pick<EgressAnswer, 'body' | 'isCut'>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: bytes > maxBytes };
}

/** A name is refused if any of its addresses isn't public. */
function lookupWith(resolveHost: ResolveHost, isFine: (address: string) => boolean): LookupFunction {
  return (host, options, callback) => {
    resolveHost(host).then(
      (found) => {
        const addresses = found.map((address) => ({ address, family: isIP(address) }));
        const [first] = addresses;
        if (!first) return callback(new Error('the host has no address'), '');
        if (!found.every(isFine)) return callback(notPublic(), '');
        return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

/**
 * Queries name servers directly: the system's resolver would also read the hosts file, and a slow name server would
 * occupy one of the few threads that all work in this process shares.
 */
async function resolvePublicly(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
  return [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

/** A host trusted by the operator may be in the hosts file. `*.localhost` is this machine (RFC 6761). */
async function resolveOwn(host: string): Promise<string[]> {
  if (host.endsWith('.localhost')) return ['127.0.0.1'];
  return (await lookUpHost(host, { all: true })).map(({ address }) => address);
}
