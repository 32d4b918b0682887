import { readBounded } from '@botyard/shared/http/bounded-body';
import { unavailable } from '@botyard/shared/http/errors';

const signals = ['traces', 'metrics', 'logs'] as const;
/** What a program tells of itself. */
export type Signal = (typeof signals)[number];

export interface CollectorAnswer {
  status: number;
  contentType: string | null;
  retryAfter: string | null;
  body: Buffer;
}

/** The collector of the operator: one fixed address for each signal, nothing of the caller but the body and its type. */
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
