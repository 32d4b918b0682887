import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { HttpError, unavailable } from '@botyard/shared/http/errors';
import { OpenStreams } from '@botyard/shared/http/open-streams';
import type { Drain } from '@botyard/shared/system/questions';
import { type AnswerTarget, CollectedAnswer } from './collected-answer.ts';
import { Connections } from './connections.ts';
import type { DeadlineTimes } from './deadlines.ts';
import { createDispatching, readStreamed, readWhole } from './dispatching.ts';

export interface UpstreamLimits extends DeadlineTimes {
  /** Limit for requests with streamed bodies, and the same limit for all others. */
  maxConnections: number;
}

/**
 * Times: shorter than a caller's own timeout. Connections: more than the number of slow senders that has to be
 * withstood (P18).
 */
export const upstreamLimits: UpstreamLimits = {
  connectTimeoutMs: 1000,
  firstByteTimeoutMs: 10_000,
  totalTimeoutMs: 30_000,
  maxConnections: 2500,
};

/** Headers and caller that are passed with a request. */
interface Passed {
  headers: Record<string, string>;
  caller: string;
  /** It is for an adapter of a platform, which may let pages of other origins read its answer. */
  isForPages?: boolean;
  /** Resolves when the request may be sent, with a function to call when it has been answered. */
  enter?: () => Promise<() => void>;
}

/** A request that the gateway makes itself. */
interface OwnRequest {
  method: string;
  path: string;
  body: Buffer | null;
}

/** A service behind the gateway. */
export interface Upstream {
  /**
   * Forwards the request with exactly these headers, and returns its answer; resolves when the answer has ended. Event
   * streams are counted by the caller's name. @throws HttpError 503 when the service can't be reached, or for too
   * many requests or streams; 504 when it doesn't answer in time.
   */
  forward(req: IncomingMessage, res: ServerResponse, passed: Passed): Promise<void>;
  /**
   * The same for a request that the gateway makes for a caller, with the whole answer. @throws also HttpError 413 for a
   * longer answer, 504 after the signal.
   */
  call(
    request: OwnRequest,
    passed: Passed,
    limits: { maxBytes: number; signal: AbortSignal },
  ): Promise<CollectedAnswer>;
  /** Reports that a process of the service is about to end, or has ended. */
  noteDrain(drain: Drain): void;
  close(): void;
}

interface UpstreamOptions {
  /** One address, or one per process; all with the same scheme. */
  urls: readonly string[];
  limits: UpstreamLimits;
  /** Whether the service has announced that it will be back soon: then requests wait for it. */
  isExpectedBack?: () => boolean;
  /** Event streams of all services. */
  streams?: OpenStreams;
  /** Streams of the platforms' own pages. */
  pageStreams?: OpenStreams;
}

/** Bodies up to this size are read before the service is called, so that a slow sender occupies no connection to it. */
const maxWholeBytes = 16 * 1024;

/** An office has one address, and each of its people may have an open chat. */
export const limitsOfPages = {
  max: 5000,
  maxOfTenant: 2000,
  maxOfCaller: 500,
  reserve: 500,
  maxOfTenantFromReserve: 50,
  what: 'open chats',
};

export function createUpstream({
  urls,
  limits,
  isExpectedBack = () => false,
  streams = new OpenStreams(),
  pageStreams = new OpenStreams(limitsOfPages),
}: UpstreamOptions): Upstream {
  const { maxConnections, connectTimeoutMs } = limits;
  const connections = new Connections({ urls, maxConnections, connectTimeoutMs, isExpectedBack });
  const dispatch = createDispatching({ connections, times: limits, isExpectedBack, streams, pageStreams });
  const enterAndDispatch = async (
    request: { method: string; path: string; body: Buffer | Readable | null },
    res: AnswerTarget,
    passed: Passed,
  ) => {
    const { isForPages = false } = passed;
    const leave = await passed.enter?.();
    try {
      if (res.destroyed) return;
      await dispatch({ ...request, ...passed, isForPages }, res);
    } finally {
      leave?.();
    }
  };
  const send = async (req: IncomingMessage, res: ServerResponse, passed: Passed) => {
    const { method = 'GET', url: path = '/' } = req;
    // Read before the request counts: slow senders would keep others of their address waiting.
    const body = isShort(req) ? await readWhole(req) : readStreamed(req);
    await enterAndDispatch({ method, path, body }, res, passed);
  };
  const collect: Upstream['call'] = async (request, passed, { maxBytes, signal }) => {
    const answer = new CollectedAnswer(maxBytes);
    const leave = () => void answer.destroy();
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    try {
      await enterAndDispatch(request, answer, passed);
    } catch (error) {
      answer.refuseIfTooLong();
      throw error;
    } finally {
      signal.removeEventListener('abort', leave);
    }
    if (answer.destroyed && !answer.writableFinished) throw new HttpError(504, 'the answer took too long');
    return answer;
  };
  const unlessUnavailable = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      throw error instanceof HttpError
        ? error
        : unavailable('the service is not available', { cause: error });
    });
  return {
    forward: (req, res, passed) => unlessUnavailable(send(req, res, passed)),
    call: (...args) => unlessUnavailable(collect(...args)),
    noteDrain: (drain) => connections.noteDrain(drain),
    close: () => connections.close(),
  };
}

function isShort({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= maxWholeBytes
  );
}
