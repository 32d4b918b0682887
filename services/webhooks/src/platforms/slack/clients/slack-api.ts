import { createHash } from 'node:crypto';
import type { Log } from '@botyard/shared/log/log';
import type { Secret } from '@botyard/shared/secrets/secret';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type JsonAnswer, post, reasonOf } from '../../clients/post.ts';
import { type FailedCall, ReachLog } from '../../clients/reach-log.ts';

/** The result of a call. `refused` has the platform's word for the reason, such as `channel_not_found`. */
export type CallResult<Result> =
  | { outcome: 'ok'; result: Result; scopes: readonly string[] | undefined }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'limited'; retryAfterMs: number }
  | FailedCall;

/** One call. `params` are sent as a form, `json` as JSON, which only the methods that write accept. */
export interface Call<Result> {
  method: string;
  token?: Secret | undefined;
  /** In place of a token: the id and the secret of the app. */
  app?: { clientId: string; clientSecret: Secret } | undefined;
  params?: Readonly<Record<string, string>>;
  json?: Readonly<Record<string, unknown>>;
  /** A part of the platform's limit for the method, such as a channel. */
  scope?: string;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  answer: z.ZodType<Result>;
}

/** The platform's Web API. No call throws, and no reason contains a token. */
export type SlackApi = <Result>(call: Call<Result>) => Promise<CallResult<Result>>;

const Answer = z.union([
  z.looseObject({ ok: z.literal(true) }),
  z.object({
    ok: z.literal(false),
    error: z.string().default('no reason'),
    needed: z.string().optional().catch(undefined),
  }),
]);

const maxAnswerBytes = 1024 * 1024;
const usualTimeoutMs = 6000;

export function createSlackApi(baseUrl: string, log: Log): SlackApi {
  const reach = new ReachLog('slack', log);
  /** More than the places that wait at the same time. */
  const waits = new LRUCache<string, number>({ max: 10_000 });
  return async (call) => {
    const { method, token, app, params = {}, json, timeoutMs = usualTimeoutMs, signal } = call;
    const scope = scopeOf(call);
    const waitMs = (waits.get(scope) ?? 0) - Date.now();
    if (waitMs > 0) return { outcome: 'limited', retryAfterMs: waitMs };
    const content = json
      ? { type: 'application/json; charset=utf-8', body: JSON.stringify(json) }
      : { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(params).toString() };
    const authorization = token ? `Bearer ${token.reveal()}` : app ? basic(app) : undefined;
    try {
      const answer = await post(
        new URL(`${baseUrl}/${method}`),
        { ...content, ...(authorization ? { authorization } : {}) },
        { timeoutMs, maxAnswerBytes, signal },
      );
      reach.answered();
      const result = readAnswer(answer, call);
      if (result.outcome === 'limited') waits.set(scope, Date.now() + result.retryAfterMs);
      return result;
    } catch (error) {
      return reach.noAnswer(error, signal);
    }
  };
}

/** The platform limits each method for each workspace, and messages for each channel. */
function scopeOf({ method, token, scope = '' }: Call<unknown>): string {
  const account = token ? createHash('sha256').update(token.reveal()).digest('base64url') : '';
  return `${method} ${scope} ${account}`;
}

const basic = ({ clientId, clientSecret }: NonNullable<Call<unknown>['app']>): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret.reveal())}`).toString('base64')}`;

/** The platform says that a part of the call may have been carried out. */
const unclearErrors = new Set(['fatal_error', 'internal_error']);
/** Nothing was carried out, and a later call may succeed. */
const passingErrors = new Set([
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
  'org_login_required',
  'accesslimited',
  // It is being renewed.
  'token_expired',
]);
const limitErrors = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);

function readAnswer<Result>(
  { status, headers, retryAfter, body }: JsonAnswer,
  { token, answer: shape }: Call<Result>,
): CallResult<Result> {
  const answer = Answer.safeParse(body);
  const refusal = answer.success && answer.data.ok === false ? answer.data : undefined;
  if (status === 429 || limitErrors.has(refusal?.error ?? ''))
    return { outcome: 'limited', retryAfterMs: waitMsOf(Number(retryAfter)) };
  if (refusal) return failureOf(refusal, token);
  if (answer.success && status === 200) {
    const result = shape.safeParse(body);
    if (result.success) return { outcome: 'ok', result: result.data, scopes: scopesOf(headers) };
  }
  // An error of the platform, or of a proxy before it, may come after the call was carried out. 503 comes before.
  const unclear = status === 200 || status === 408 || (status >= 500 && status !== 503);
  return { outcome: 'failed', reason: `unusable answer (${status})`, unclear };
}

function failureOf(
  { error, needed }: { error: string; needed?: string | undefined },
  token: Secret | undefined,
): CallResult<never> {
  const said = needed === undefined ? error : `${error}: ${needed}`;
  const reason = token ? reasonOf(token, said) : said.slice(0, 300);
  if (unclearErrors.has(error)) return { outcome: 'failed', reason, unclear: true };
  if (passingErrors.has(error)) return { outcome: 'failed', reason, unclear: false };
  return { outcome: 'refused', reason };
}

/** The token's scopes, which the platform names with each answer. */
const scopesOf = (headers: JsonAnswer['headers']): string[] | undefined => {
  const scopes = headers['x-oauth-scopes'];
  return typeof scopes === 'string' ? scopes.split(',').map((scope) => scope.trim()) : undefined;
};

/** At least a second. A wait without a sensible end is a short one. */
const waitMsOf = (seconds: number): number =>
  Number.isFinite(seconds) && seconds > 0 ? Math.max(1, seconds) * 1000 : 1000;
