import { setTimeout as pause } from 'node:timers/promises';
import { readStart } from '@botyard/shared/http/bounded-body';
import { hadNothingToConnectWith } from '@botyard/shared/http/no-connection';
import type { Secret } from '@botyard/shared/secrets/secret';
import { loggable, ModelError, type ModelFailure } from './call-failure.ts';
import type { ProviderAnswer, ProviderRequest } from './provider-request.ts';
import { type AnswerReader, type ReadAnswer, type SaidUsage, statusOf } from './read-answer.ts';
import { readRefusal } from './refusal.ts';
import type { RetryBudget } from './retry-budget.ts';

/** Statuses about the key, or about the model for this key: another key may succeed. */
const aboutTheKey: Readonly<Record<number, ModelFailure>> = {
  401: 'key refused',
  402: 'rate limited',
  403: 'model refused',
  404: 'model refused',
  429: 'rate limited',
};

const maxRetries = 2;
const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** The pause when this machine had no free connection: no provider was called, and the message waits. */
const ownTroubleMs = 1000;
/** The beginning of a refusal is enough, since its status carries the meaning. */
const maxErrorBytes = 64 * 1024;

interface ProviderFetchOptions {
  request: ProviderRequest;
  apiKey: Secret | null;
  retries: RetryBudget;
  reader: AnswerReader;
  onUsage: (usage: SaidUsage) => void;
  /** Called with each refusal's status and the beginning of its text. */
  onRefused?: (refusal: { status: number; text: string }) => void;
  /** Passes the answer on as it arrives, if the provider streams it. */
  isStreamed?: boolean;
}

/**
 * A `fetch` to a provider. It follows no redirect, since a key is sent only to its stored address, and limits the size
 * of every answer. A failing server (5xx, 408, no connection) is retried, with jitter, within the budget. @throws
 * ModelError for faults of the key, for a server that keeps failing, and for an answer that is too long; the signal's
 * reason.
 */
export const providerFetch =
  ({
    request,
    apiKey,
    retries,
    reader,
    onUsage,
    onRefused = () => undefined,
    isStreamed = false,
  }: ProviderFetchOptions): typeof fetch =>
  async (input, init) => {
    for (let tried = 0; ; tried += 1) {
      const exchange = { request, apiKey, reader, onRefused, isStreamed };
      const { answer, usage, fault } = await askOnce(input, init ?? {}, exchange);
      if (usage) onUsage(usage);
      if (answer) return answer;
      const waitMs = fault.retryAfterMs ?? firstPauseMs * 2 ** tried * (0.5 + Math.random());
      const isWorthIt = fault.failure === 'unavailable' && tried < maxRetries && waitMs <= longestPauseMs;
      if (!isWorthIt || !retries.spend()) throw fault;
      await pause(waitMs, undefined, init?.signal ? { signal: init.signal } : {});
    }
  };

type Asked =
  | (Pick<ReadAnswer, 'answer'> & { usage?: SaidUsage; fault?: never })
  | { fault: ModelError; answer?: never; usage?: never };

async function askOnce(
  input: Parameters<typeof fetch>[0],
  init: RequestInit,
  {
    request,
    apiKey,
    reader,
    onRefused,
    isStreamed,
  }: Required<Omit<ProviderFetchOptions, 'retries' | 'onUsage'>>,
): Promise<Asked> {
  try {
    const response = await request(input instanceof Request ? input.url : input, init);
    if (isStreamed && response.ok && isEventStream(response)) return { answer: reader.pass(response) };
    const read = response.ok ? await reader.read(response) : undefined;
    if (read?.answer.ok) return read;
    const refusal = read?.answer ?? response;
    const { text } = await readStart(refusal, maxErrorBytes);
    onRefused({ status: refusal.status, text });
    const fault = faultOf(refusal, text, apiKey);
    return fault ? { fault } : { answer: new Response(text, refusal) };
  } catch (error) {
    init.signal?.throwIfAborted();
    if (error instanceof ModelError) throw error;
    const retryAfterMs = hadNothingToConnectWith(error) ? ownTroubleMs : undefined;
    return {
      fault: new ModelError('unavailable', { cause: loggable(reasonOf(error), apiKey), retryAfterMs }),
    };
  }
}

const isEventStream = ({ headers }: ProviderAnswer): boolean =>
  headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true;

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Partial<Error>;
  return `${name}: ${message}${cause instanceof Error ? ` (${cause.message})` : ''}`;
}

/** The error that a server puts in place of an answer, with the status that it stands for. */
export function errorIn(whole: unknown): { status: number; text: string } | undefined {
  const status = statusOf(whole);
  return status === 200 ? undefined : { status, text: JSON.stringify(whole) ?? '' };
}

/** Returns `undefined` for a refusal that is about the request. */
export function faultOf(
  { status, headers }: Pick<ProviderAnswer, 'status' | 'headers'>,
  text: string,
  apiKey: Secret | null,
): ModelError | undefined {
  const failure = aboutTheKey[status] ?? (status >= 500 || status === 408 ? 'unavailable' : undefined);
  if (!failure || (failure !== 'key refused' && readRefusal(status, text, apiKey))) return undefined;
  const cause = loggable(`${status}: ${text}`, apiKey);
  return new ModelError(failure, {
    status,
    cause,
    retryAfterMs: retryAfterMs(headers),
    hadKey: apiKey !== null,
  });
}

const longestMs = 24 * 3600_000;

/** Reads `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfterMs(headers: Headers): number | undefined {
  const [ms, after] = [headers.get('retry-after-ms'), headers.get('retry-after')];
  const seconds = Number(after || Number.NaN);
  const delayMs = ms
    ? Number(ms)
    : Number.isNaN(seconds)
      ? Date.parse(after ?? '') - Date.now()
      : seconds * 1000;
  return Number.isNaN(delayMs) ? undefined : Math.round(Math.min(Math.max(delayMs, 0), longestMs));
}
