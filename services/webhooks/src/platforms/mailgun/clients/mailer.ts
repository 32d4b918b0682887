import type { Log } from '@botyard/shared/log/log';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { Problems } from '@botyard/shared/system/problems';
import { z } from 'zod';
import { type FileToPost, fileForm } from '../../clients/file-form.ts';
import { type JsonAnswer, post, reasonOf } from '../../clients/post.ts';
import { type FailedCall, ReachLog } from '../../clients/reach-log.ts';
import { accountProblem, checkMailAccount } from './check-account.ts';

/**
 * The result of a send. `unclear`: no usable answer, so the mail may or may not have been accepted. `closed`: the
 * mailer currently accepts no mail from this account, regardless of the mail (a wrong key, an unknown domain, a bill).
 */
export type MailResult =
  | { outcome: 'ok' }
  | { outcome: 'refused'; reason: string; isOfAddress: boolean }
  | { outcome: 'limited'; retryAfterMs: number }
  | { outcome: 'closed'; reason: string }
  | FailedCall;

export interface OutgoingMail {
  from: string;
  to: string;
  subject: string;
  text: string;
  /** Without it the mail is plain text only. */
  html?: string;
  /** Headers by name, in addition to the fields above. */
  headers: Record<string, string>;
}

export interface MailAccount {
  apiKey: Secret;
  domain: string;
}

interface SendOptions {
  attachment?: FileToPost | undefined;
  signal?: AbortSignal | undefined;
}

/** The mailer's sending API. It never throws, and no reason contains the key. */
export interface MailerClient {
  send(account: MailAccount, mail: OutgoingMail, how?: SendOptions): Promise<MailResult>;
  /** Asks for the domain of the installation's account, if there is one, and notes a refusal. */
  checkAccount(account: { [Name in keyof MailAccount]?: MailAccount[Name] | undefined }): Promise<void>;
}

const Refusal = z.object({ message: z.string() });
const Queued = z.object({ id: z.string() });
/** Limits of one call, including its answer. A mailer under load takes many seconds: a shorter wait may send twice. */
const bounds = { timeoutMs: 30_000, maxAnswerBytes: 64 * 1024 };
/** With the largest attachment. */
const uploadTimeoutMs = 120_000;
const defaultRetryAfterMs = 30_000;
const closedStatuses = new Set([401, 402, 403, 404]);

export function createMailerClient(
  baseUrl: string,
  { log, problems }: { log: Log; problems: Pick<Problems, 'note' | 'clear'> },
  installationsKey: Secret | undefined,
): MailerClient {
  const noteAccount = (account: MailAccount, status: number) => {
    if (account.apiKey.reveal() !== installationsKey?.reveal()) return;
    if (status === 200) problems.clear('MAILER_API_URL');
    if (![401, 403, 404].includes(status)) return;
    const problem = accountProblem(baseUrl, account, status);
    problems.note({ setting: 'MAILER_API_URL', cause: 'account', problem });
  };
  const reach = new ReachLog('mailer', log);
  return {
    checkAccount: (account) => checkMailAccount(baseUrl, account, problems),
    send: async (account, mail, { attachment, signal } = {}) => {
      try {
        const url = new URL(`${baseUrl}/v3/${encodeURIComponent(account.domain)}/messages`);
        const fields = fieldsOf(mail);
        const form = attachment
          ? fileForm([...fields], 'attachment', attachment)
          : { type: 'application/x-www-form-urlencoded;charset=UTF-8', body: fields.toString() };
        const content = { ...form, authorization: basicOf(account.apiKey) };
        const timeoutMs = attachment ? uploadTimeoutMs : bounds.timeoutMs;
        const answer = await post(url, content, { ...bounds, timeoutMs, signal });
        reach.answered();
        noteAccount(account, answer.status);
        return readAnswer(account, answer);
      } catch (error) {
        return reach.noAnswer(error, signal);
      }
    },
  };
}

const basicOf = (apiKey: Secret) => `Basic ${Buffer.from(`api:${apiKey.reveal()}`).toString('base64')}`;

/** Without tracking, which would rewrite links and add a picture to the mail. */
function fieldsOf({ headers, ...mail }: OutgoingMail): URLSearchParams {
  const fields = new URLSearchParams({ ...mail, 'o:tracking': 'no' });
  for (const [name, value] of Object.entries(headers)) fields.set(`h:${name}`, value);
  return fields;
}

function readAnswer(account: MailAccount, { status, retryAfter, body }: JsonAnswer): MailResult {
  const refusal = Refusal.safeParse(body);
  const reason = refusal.success ? reasonOf(account.apiKey, refusal.data.message) : undefined;
  if (status === 200 && Queued.safeParse(body).success) return { outcome: 'ok' };
  if (status === 429) return { outcome: 'limited', retryAfterMs: retryAfterMs(retryAfter) };
  if (closedStatuses.has(status))
    return { outcome: 'closed', reason: `the mailer does not accept the account (${status})` };
  // Only an answer that isn't the mailer's own leaves the outcome of the mail open.
  if (status < 400 || status >= 500 || status === 408 || reason === undefined)
    return {
      outcome: 'failed',
      reason: status < 400 || reason === undefined ? `unusable answer (${status})` : reason,
      unclear: status < 400 || status === 408 || status === 504,
    };
  const isOfAddress =
    status === 400 && /'?\bto\b'? parameter is not a valid|not a valid address/i.test(reason);
  return { outcome: 'refused', reason, isOfAddress };
}

/** Reads seconds, or a date. */
function retryAfterMs(header: string | undefined): number {
  if (header === undefined) return defaultRetryAfterMs;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 1000) : defaultRetryAfterMs;
}
