import { readBounded } from '@botyard/shared/http/bounded-body';
import { unavailable } from '@botyard/shared/http/errors';

const signals = ['traces', 'metrics', 'logs'] as const;
/** A kind of telemetry that a program sends. */
type Signal = (typeof signals)[number];

interface CollectorAnswer {
  status: number;
  contentType: string | null;
  retryAfter: string | null;
  body: Buffer;
}

/** The operator's collector: one fixed address per signal. Only the body and its type are passed on. */
export interface Collector {
  /** @throws HttpError 503 when it doesn't answer. */
  send(signal: Signal, body: Buffer, contentType: string): Promise<CollectorAnswer>;
}

const answerWithinMs = 5000;
const maxAnswerBytes = 64 * 1024;

export function createCollector(endpoint: string): Collector {
  const urls = Object.fromEntries(signals.map((signal) => [signal, `${endpoint}/v1/${signal}`]));
  return {
    send: async (signal, body, contentType) => {
      try {
        const response = await fetch(`${urls[signal]}`, {
          method: 'POST',
          body: new Uint8Array(body),
          headers: { 'content-type': contentType, accept: contentType },
          redirect: 'error',
          signal: AbortSignal.timeout(answerWithinMs),
        });
        return {
          status: response.status,
          contentType: response.headers.get('content-type'),
          retryAfter: response.headers.get('retry-after'),
          body: await readBounded(response, maxAnswerBytes),
        };
      } catch (error) {
        throw unavailable('the collector does not answer', { cause: error });
      }
    },
  };
}
