import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { networkOf } from '@botyard/shared/http/client-address';
import { badRequest, HttpError, notFound, unavailable } from '@botyard/shared/http/errors';
import { type Share, SharedBudget } from '@botyard/shared/work/shared-budget';
import type { Request, RequestHandler, Response } from 'express';
import proxyAddr from 'proxy-addr';
import type { Deps } from '../deps.ts';
import { clientAddress } from '../domain/client-address.ts';
import { isUnder } from '../domain/request-target.ts';

type Collector = NonNullable<Deps['collector']>;
type Signal = Parameters<Collector['send']>[0];
type CollectorAnswer = Awaited<ReturnType<Collector['send']>>;

const base = '/api/otel';
/** Only these, so that no part of the caller's path reaches the collector. */
const signalOf: ReadonlyMap<string, Signal> = new Map([
  [`${base}/v1/traces`, 'traces'],
  [`${base}/v1/metrics`, 'metrics'],
  [`${base}/v1/logs`, 'logs'],
]);
const contentTypes = ['application/json', 'application/x-protobuf'];
const maxBodyBytes = 1024 * 1024;
const maxUnpackedBytes = 4 * 1024 * 1024;
/** Limits for all callers together, so that they can't exhaust the memory, and for one client address. */
const maxBytesAtOnce = 64 * 1024 * 1024;
const maxBytesOfAddress = 16 * 1024 * 1024;
/** The part of all bytes for addresses with one request at a time. */
const reserve = 16 * 1024 * 1024;
/** The collector's statuses that are passed on; any other becomes 503. */
const passedOn = new Set([200, 202, 400, 413, 502, 503, 504]);

const unpack = promisify(gunzip);

/**
 * `/api/otel`: passes telemetry of the console and of apps to the collector. It is public, so only a limited body of a
 * known type is passed on, and nothing else from the caller.
 */
export const takeTelemetry = ({ collector, metrics, trustedProxies }: Deps): RequestHandler => {
  const taken = metrics.counter('gateway_telemetry_total', 'Telemetry of clients by outcome', [
    'signal',
    'status',
  ]);
  const budget = new SharedBudget({ max: maxBytesAtOnce, reserve, what: 'bytes of telemetry' });
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return async (req, res, next) => {
    if (!isUnder(res.locals.path, base)) return next();
    const signal = signalOf.get(res.locals.path);
    if (!signal) throw notFound('path');
    req.route = { path: res.locals.path };
    if (req.method === 'OPTIONS') return answerOptions(res);
    if (req.method !== 'POST') {
      res.setHeader('Allow', 'POST, OPTIONS');
      throw new HttpError(405, 'telemetry can only be posted');
    }
    const contentType = contentTypeOf(req);
    if (!collector) throw unavailable('no collector is configured', { isExpected: true });
    const address = clientAddress(proxyAddr(req, isTrusted), req.socket.remoteAddress);
    const memory = new Memory(budget, networkOf(address));
    try {
      const body = await unpacked(req, await readBody(req, memory), memory);
      const answer = await collector.send(signal, body, contentType);
      taken.inc({ signal, status: answer.status });
      passOn(res, answer);
    } finally {
      memory.giveBack();
      // The rest of a refused body isn't read just to reuse the connection.
      if (!req.complete) res.shouldKeepAlive = false;
    }
  };
};

/** Other origins are not allowed, so the answer contains no permission. */
function answerOptions(res: Response): void {
  res.setHeader('Allow', 'POST, OPTIONS');
  res.status(204).end();
}

function contentTypeOf(req: Request): string {
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  const isPlain = parameters.every((parameter) => parameter.trim() === 'charset=utf-8');
  const allowedType = contentTypes.find((allowed) => allowed === type.trim());
  if (!allowedType || !isPlain) {
    throw new HttpError(415, 'telemetry is application/json or application/x-protobuf');
  }
  const encoding = req.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new HttpError(415, 'telemetry may be compressed with gzip only');
  }
  return allowedType;
}

/** The memory that one request uses. */
class Memory {
  readonly #budget: SharedBudget;
  readonly #share: Share;
  readonly #taken: (() => void)[] = [];

  constructor(budget: SharedBudget, address: string) {
    this.#budget = budget;
    this.#share = {
      owner: address,
      max: maxBytesOfAddress,
      maxFromReserve: maxBodyBytes + maxUnpackedBytes,
    };
  }

  /** @throws HttpError 503 when all requests of the address, or all together, use too much. */
  take(bytes: number): void {
    this.#taken.push(this.#budget.take([this.#share], bytes));
  }

  giveBack(): void {
    for (const giveBack of this.#taken.splice(0)) giveBack();
  }
}

const tooLarge = () => new HttpError(413, 'the body is too large');

async function readBody(req: Request, memory: Memory): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // The connection has to stay open to send the answer.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBodyBytes) throw tooLarge();
      memory.take(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof HttpError ? error : badRequest('the body is not complete', { cause: error });
  }
  return Buffer.concat(chunks);
}

/** A small body can decompress to gigabytes, so decompression stops at the collector's own limit. */
async function unpacked(req: Request, body: Buffer, memory: Memory): Promise<Buffer> {
  if (req.headers['content-encoding']?.toLowerCase() !== 'gzip') return body;
  memory.take(maxUnpackedBytes);
  try {
    return await unpack(body, { maxOutputLength: maxUnpackedBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw badRequest('the body is not valid gzip', { cause: error });
  }
}

function passOn(res: Response, { contentType, retryAfter, body, ...answer }: CollectorAnswer): void {
  // No answer beneath `/api` is a 429. To an exporter 503 with `Retry-After` means the same.
  const status = answer.status === 429 ? 503 : answer.status;
  if (!passedOn.has(status)) throw unavailable('the collector does not accept telemetry');
  if (retryAfter && /^\d{1,5}$/.test(retryAfter)) res.setHeader('Retry-After', retryAfter);
  else if (status === 503) res.setHeader('Retry-After', 1);
  const type = contentTypes.find((allowed) => contentType?.toLowerCase().startsWith(allowed));
  if (!type) {
    res.status(status).end();
    return;
  }
  res.setHeader('Content-Type', type);
  res.status(status).end(body);
}
