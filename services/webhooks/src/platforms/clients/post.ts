import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { readBounded } from '@botyard/shared/http/bounded-body';
import { EgressError } from '@botyard/shared/http/egress/egress';
import { tryReadJson } from '@botyard/shared/json/read-json';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import type { Secret } from '@botyard/shared/secrets/secret';
import { afterPoll } from '@botyard/shared/work/after-poll';

export interface JsonAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  retryAfter: string | undefined;
  /** `undefined` when it isn't JSON. */
  body: unknown;
}

export interface Content {
  type: string;
  body: string | StreamedBody;
  authorization?: string;
}

/** A body that is read when it is sent, because it is large. */
export interface StreamedBody {
  sizeBytes: number;
  stream: Readable;
}

/** Limits of a call with its answer. */
interface Bounds {
  timeoutMs: number;
  maxAnswerBytes: number;
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
}

/** Thrown when a call failed before a byte of it was written: it has certainly not arrived. */
export class UnsentError extends Error {
  override readonly name = 'UnsentError';
  readonly code: string;
  /** Whether the call used a connection that had been used before. */
  readonly wasReused: boolean;

  constructor(cause: unknown, { wasReused }: { wasReused: boolean }) {
    super('the call was not sent', { cause });
    this.code = codeOf(cause);
    this.wasReused = wasReused;
  }
}

/** The system's code of a failure, or its name. */
export function codeOf(error: unknown): string {
  if (error instanceof EgressError) return error.fault;
  return (error as { code?: string }).code ?? (error as Error).name;
}

/** Packets to a host behind a broken network are lost silently. */
const connectTimeoutMs = 5000;
/**
 * The other side may just be closing a connection that was idle for longer: the effect of a call on it would be
 * unclear.
 */
const maxIdleMs = 4000;
const keptOpen = { keepAlive: true, timeout: maxIdleMs, scheduling: 'lifo' } as const;
const agents = { 'http:': new HttpAgent(keptOpen), 'https:': new HttpsAgent(keptOpen) };

/**
 * Posts something that must not be posted twice, and reads a JSON answer, without following redirects. `fetch` costs
 * three times as much, and doesn't tell whether a failed call was sent. @throws UnsentError; after any other error the
 * call may have arrived.
 */
export async function post(url: URL, content: Content, bounds: Bounds): Promise<JsonAnswer> {
  const deadline = new AbortController();
  // An answer that is waiting to be read when the time runs out, for example after a pause of this process, still
  // counts.
  const timer = setTimeout(() => afterPoll(() => deadline.abort(timedOut())), bounds.timeoutMs);
  const signal = bounds.signal ? AbortSignal.any([deadline.signal, bounds.signal]) : deadline.signal;
  try {
    const response = await send(url, content, signal);
    const answered = await readBounded({ body: response }, bounds.maxAnswerBytes);
    const { statusCode: status = 0, headers } = response;
    return {
      status,
      headers,
      retryAfter: headers['retry-after'],
      body: await tryReadJson(answered, { owner: url.host }),
    };
  } finally {
    clearTimeout(timer);
    if (typeof content.body !== 'string') content.body.stream.destroy();
  }
}

const timedOut = () => new DOMException('there was no answer in time', 'TimeoutError');

/** Skips kept connections that turn out to have ended. */
async function send(url: URL, content: Content, signal: AbortSignal): Promise<IncomingMessage> {
  for (;;) {
    try {
      return await sendOnce(url, content, signal);
    } catch (error) {
      if (!(error instanceof UnsentError && error.wasReused) || signal.aborted) throw error;
    }
  }
}

function sendOnce(
  url: URL,
  { type, body, authorization }: Content,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const content = typeof body === 'string' ? Buffer.from(body) : body;
  const isSecure = url.protocol === 'https:';
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (isSecure ? httpsRequest : httpRequest)(url, {
    method: 'POST',
    agent: isSecure ? agents['https:'] : agents['http:'],
    headers: {
      'content-type': type,
      'content-length': Buffer.isBuffer(content) ? content.length : content.sizeBytes,
      accept: '*/*',
      ...(authorization ? { authorization } : {}),
    },
    signal,
  });
  let isWritten = false;
  const write = () => {
    if (request.destroyed) return;
    isWritten = true;
    if (Buffer.isBuffer(content)) request.end(content);
    else pipeline(content.stream, request, (error) => error && request.destroy(error));
  };
  request.once('response', resolve);
  request.on('error', (error) =>
    reject(isWritten ? error : new UnsentError(error, { wasReused: request.reusedSocket })),
  );
  request.once('socket', (socket) => {
    if (!request.reusedSocket) whenConnected(socket, isSecure, write);
    // The connection may have ended while nothing was read. The event is processed before anything is written.
    else afterPoll(write);
  });
  return promise;
}

function whenConnected(socket: Socket, isSecure: boolean, connected: () => void): void {
  const late = setTimeout(() => socket.destroy(noConnection()), connectTimeoutMs);
  socket.once('close', () => clearTimeout(late));
  socket.once(isSecure ? 'secureConnect' : 'connect', () => {
    clearTimeout(late);
    connected();
  });
}

const noConnection = () => Object.assign(new Error('no connection in time'), { code: 'ENOCONNECTION' });

const maxUnits = 300;

/** A platform's reason for a failure, without the secret that it was shown, and as a database can keep it. */
export const reasonOf = (secret: Secret, said: string): string =>
  withoutSecrets(said.replaceAll(secret.reveal(), '[secret]'))
    .slice(0, maxUnits)
    .replaceAll('\0', '\uFFFD')
    .toWellFormed();
