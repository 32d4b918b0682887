import { AnswerTooLargeError, readBounded } from '@botyard/shared/http/bounded-body';
import { JsonError } from '@botyard/shared/json/parse-json';
import { readJson } from '@botyard/shared/json/read-json';
import { type Share, SharedBudget } from '@botyard/shared/work/shared-budget';
import { ModelError } from './call-failure.ts';
import { isRecord, withJsonNumbers } from './json.ts';
import type { ProviderAnswer } from './provider-request.ts';

/** The usage of a call as the provider reports it. Missing or implausible numbers are `undefined`. */
export interface SaidUsage {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}

/** Measured after decompression. An answer within `maxOutputTokens` has about a hundredth of it. */
const maxAnswerBytes = 4 * 1024 * 1024;
/** Larger, because every word has its own frame, which is many times as long. */
const maxStreamBytes = 16 * 1024 * 1024;
/** Answers beyond a usual length share one budget of the process, so that many long ones can't fill its memory. */
const usualBytes = 128 * 1024;
const maxUnusualBytes = 32 * 1024 * 1024;
/** A tenant's part of it. The last quarter is for tenants that hold little. */
const maxUnusualBytesOfTenant = 12 * 1024 * 1024;
const unusualBytesKept = 8 * 1024 * 1024;
const maxFromKept = 4 * 1024 * 1024;

/** Makes readers that share the budget of this process. */
export function createAnswerReaders(): (call: { tenantId: string }) => AnswerReader {
  const budget = new SharedBudget({
    max: maxUnusualBytes,
    reserve: unusualBytesKept,
    what: 'bytes of answers',
  });
  return ({ tenantId }) => new AnswerReader(budget, tenantId);
}
/** No call uses this many tokens. A larger number is a server's mistake, and sums have to fit into a column. */
const maxTokens = 10_000_000;

export interface ReadAnswer {
  /** The answer, with status 200 unless its content is an error. */
  answer: Response;
  usage: SaidUsage;
}

/** Reads the answers of providers for one tenant. Each has a limit, and unusually long ones share a budget. */
export class AnswerReader {
  readonly #budget: SharedBudget;
  readonly #share: Share;

  constructor(budget: SharedBudget, tenantId: string) {
    this.#budget = budget;
    this.#share = { owner: tenantId, max: maxUnusualBytesOfTenant, maxFromReserve: maxFromKept };
  }

  /**
   * Reads a whole answer with its usage. @throws ModelError `unusable answer` for an answer that is too long.
   */
  async read(response: ProviderAnswer): Promise<ReadAnswer> {
    const content = await this.#readWhole(response);
    const whole = content.toString('utf8');
    const parsed = await parse(content);
    const usage = isRecord(parsed) ? readUsage(parsed.usage) : nothingSaid;
    return {
      answer: new Response(whole, { headers: plainHeaders(response), status: statusOf(parsed) }),
      usage,
    };
  }

  /** A streamed answer, passed on as it arrives. Its stream fails with `unusable answer` when it is too long. */
  pass(response: ProviderAnswer): Response {
    const { body, status } = response;
    return new Response(body && ReadableStream.from(this.#bounded(body)), {
      headers: plainHeaders(response),
      status,
    });
  }

  async *#bounded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > maxStreamBytes) throw new ModelError('unusable answer');
      yield chunk;
    }
  }

  async #readWhole({ body }: ProviderAnswer): Promise<Buffer> {
    try {
      return await readBounded({ body: body && this.#metered(body) }, maxAnswerBytes);
    } catch (error) {
      if (!(error instanceof AnswerTooLargeError)) throw error;
      throw new ModelError('unusable answer', { cause: error });
    }
  }

  async *#metered(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const taken: (() => void)[] = [];
    let bytes = 0;
    try {
      for await (const chunk of body) {
        bytes += chunk.length;
        const unusual = Math.min(chunk.length, Math.max(0, bytes - usualBytes));
        if (unusual > 0) taken.push(this.#take(unusual));
        yield chunk;
      }
    } finally {
      for (const giveBack of taken) giveBack();
    }
  }

  /** @throws AnswerTooLargeError when the tenant's share, or all of the budget, is used up. */
  #take(bytes: number): () => void {
    try {
      return this.#budget.take([this.#share], bytes);
    } catch (error) {
      throw new AnswerTooLargeError(maxUnusualBytesOfTenant, { cause: error });
    }
  }
}

function plainHeaders(response: ProviderAnswer): Headers {
  const headers = new Headers(response.headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) headers.delete(name);
  return headers;
}

/** Statuses of errors that come without a number. */
const statuses: Readonly<Record<string, number>> = {
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 402,
  insufficient_quota: 402,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  request_too_large: 413,
  invalid_request_error: 400,
  content_filter: 400,
  context_length_exceeded: 400,
  data_inspection_failed: 400,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
};

/**
 * The status of an answer that is an error, or 200. Failing proxies answer with a page, and some servers send refusals
 * with status 200.
 */
export function statusOf(parsed: unknown): number {
  if (!isRecord(parsed)) return 502;
  const { error, choices, content } = parsed;
  if (!error || choices !== undefined || content !== undefined) return 200;
  const { status, code, type } = isRecord(error) ? error : {};
  const said = [status, code, type].map((word) => statuses[String(word)] ?? Number(word));
  return said.find((number) => number >= 400 && number <= 599 && Number.isInteger(number)) ?? 500;
}

const nothingSaid: SaidUsage = { inputTokens: undefined, outputTokens: undefined };

/** @throws ModelError for an answer with too many values or levels: the adapter would parse it again. */
async function parse(content: Buffer): Promise<unknown> {
  for (const read of [() => content, () => Buffer.from(withJsonNumbers(content.toString('utf8')))]) {
    try {
      return await readJson(read(), { owner: 'model' });
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      if (error.fault !== 'syntax') throw new ModelError('unusable answer', { cause: error });
      // The adapter reports invalid JSON.
    }
  }
  return undefined;
}

/** Reads either provider's format. */
export function readUsage(given: unknown): SaidUsage {
  if (!isRecord(given)) return nothingSaid;
  const { prompt_tokens, completion_tokens, input_tokens, output_tokens } = given;
  const cached = [given.cache_creation_input_tokens, given.cache_read_input_tokens].map((value) =>
    count(value),
  );
  const input = count(prompt_tokens ?? input_tokens);
  const total =
    input === undefined ? undefined : [input, ...cached].reduce((sum, tokens = 0) => sum! + tokens, 0);
  // A question has at least one token, so 0 means that the number is missing.
  return { inputTokens: total || undefined, outputTokens: count(completion_tokens ?? output_tokens) };
}

/** Returns the number of tokens, if it is plausible. */
export function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !(number >= 0 && number <= maxTokens)) return undefined;
  return Math.ceil(number);
}
