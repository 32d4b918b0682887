import type { Secret } from '@botyard/shared/secrets/secret';
import { z } from 'zod';
import { type JsonAnswer, reasonOf } from '../../clients/post.ts';
import type { FailedCall } from '../../clients/reach-log.ts';

/** The result of a call to the Graph API. `code` is the platform's. */
export type CallResult<Result> =
  | { outcome: 'ok'; result: Result }
  | { outcome: 'refused'; code: number; reason: string; details: string }
  | { outcome: 'limited'; code: number; retryAfterMs: number | undefined }
  | FailedCall;

const Refusal = z.object({
  error: z.object({
    message: z.string().default('no description'),
    code: z.number().default(0),
    error_data: z
      .object({ details: z.string().default('') })
      .optional()
      .catch(undefined),
    is_transient: z.boolean().optional().catch(undefined),
  }),
});

/** Too many calls of an app, an account or a number, and too many messages to one person. */
const limits = [4, 80007, 130429, 131048, 131056, 133016];
/** The platform fails at the moment: nothing of the call was carried out. */
const outages = [1, 2, 131000, 131016, 133004];

/** The meaning of an answer. `secrets` appear in no reason. */
export function readAnswer<Result>(
  { status, retryAfter, body }: JsonAnswer,
  shape: z.ZodType<Result>,
  secrets: readonly Secret[],
): CallResult<Result> {
  const refusal = Refusal.safeParse(body);
  if (!refusal.success) return readSuccess(status, body, shape);
  const { message, code, error_data: data, is_transient: isTransient } = refusal.data.error;
  if (status === 429 || limits.includes(code))
    return { outcome: 'limited', code, retryAfterMs: waitMsOf(retryAfter) };
  const said = (text: string) => secrets.reduce((words, secret) => reasonOf(secret, words), text);
  const reason = said(message);
  // Only a proxy that timed out leaves the outcome of the call open.
  if (isOfWaiting(status)) return { outcome: 'failed', reason, unclear: true };
  if (status >= 500 || isTransient || outages.includes(code))
    return { outcome: 'failed', reason, unclear: false };
  return { outcome: 'refused', code, reason, details: said(data?.details ?? '') };
}

function readSuccess<Result>(status: number, body: unknown, shape: z.ZodType<Result>): CallResult<Result> {
  const isAccepted = status >= 200 && status < 300;
  const result = shape.safeParse(body);
  if (isAccepted && result.success) return { outcome: 'ok', result: result.data };
  const reason = `unusable answer (${status})`;
  // An accepted call whose answer can't be read may have been carried out.
  return { outcome: 'failed', reason, unclear: isOfWaiting(status) || isAccepted };
}

const isOfWaiting = (status: number): boolean => status === 408 || status === 504;

function waitMsOf(retryAfter: string | undefined): number | undefined {
  const seconds = Number(retryAfter);
  return retryAfter !== undefined && Number.isFinite(seconds) ? Math.max(1, seconds) * 1000 : undefined;
}
