import { withoutSecrets } from '@botyard/shared/log/log';
import type { Secret } from '@botyard/shared/secrets/secret';
import { z } from 'zod';

/**
 * What a send came to. `unclear`: no usable answer, so the mail may or may not be on its way. `closed`: the mailer takes
 * nothing from this account now (a wrong key, an unknown domain, a bill), whatever the mail is.
 */
export type MailResult =
  | { outcome: 'ok' }
  | { outcome: 'refused'; reason: string; isOfAddress: boolean }
  | { outcome: 'limited'; retryAfterMs: number }
  | { outcome: 'closed'; reason: string }
  | { outcome: 'failed'; reason: string; unclear: boolean };

export interface OutgoingMail {
  from: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  /** By name, besides those above. */
  headers: Record<string, string>;
}

export interface MailAccount {
  apiKey: Secret;
  domain: string;
}

/** The mailer's sending API. It never throws; the key is in no reason. */
export interface MailerClient {
  send(account: MailAccount, mail: OutgoingMail): Promise<MailResult>;
}

const Refusal = z.object({ message: z.string() });
const Queued = z.object({ id: z.string() });
/** Of one call, with its answer. Shorter than the lease that it is made under. */
const timeoutMs = 6000;
const maxAnswerBytes = 64 * 1024;
const defaultRetryAfterMs = 30_000;
const mostRetryAfterMs = 3600_000;
const closedStatuses = new Set([401, 402, 403, 404]);

export function createMailerClient(baseUrl: string): MailerClient {
  return {
    send: async (account, mail) => {
      try {
        const response = await fetch(`${baseUrl}/v3/${encodeURIComponent(account.domain)}/messages`, {
          method: 'POST',
          headers: { authorization: basicOf(account.apiKey) },
          body: fieldsOf(mail),
          redirect: 'error',
          signal: AbortSignal.timeout(timeoutMs),
        });
        return readAnswer(account, response, await readBounded(response));
      } catch (error) {
        const code = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name;
        return { outcome: 'failed', reason: `no answer (${code})`, unclear: !neverConnected.has(code) };
      }
    },
  };
}

const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const basicOf = (apiKey: Secret) => `Basic ${Buffer.from(`api:${apiKey.reveal()}`).toString('base64')}`;

/** Tracking would rewrite links and put a picture into what we send. */
function fieldsOf({ headers, ...mail }: OutgoingMail): URLSearchParams {
  const fields = new URLSearchParams({ ...mail, 'o:tracking': 'no' });
  for (const [name, value] of Object.entries(headers)) fields.set(`h:${name}`, value);
  return fields;
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error('answer too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readAnswer(account: MailAccount, { status, headers }: Response, text: string): MailResult {
  const body = parseJson(text);
  const refusal = Refusal.safeParse(body);
  const reason = refusal.success ? reasonOf(account, refusal.data.message) : undefined;
  if (status === 200 && Queued.safeParse(body).success) return { outcome: 'ok' };
  if (status === 429) return { outcome: 'limited', retryAfterMs: retryAfterMs(headers.get('retry-after')) };
  if (closedStatuses.has(status))
    return { outcome: 'closed', reason: `the mailer does not take our account (${status})` };
  // Anything but a refusal in the mailer's own words leaves open what became of the mail.
  if (status < 400 || status >= 500 || status === 408 || reason === undefined)
    return {
      outcome: 'failed',
      reason: status < 400 || reason === undefined ? `unusable answer (${status})` : reason,
      unclear: status < 400 || status >= 500,
    };
  const isOfAddress =
    status === 400 && /'?\bto\b'? parameter is not a valid|not a valid address/i.test(reason);
  return { outcome: 'refused', reason, isOfAddress };
}

/** Seconds, or a date. */
function retryAfterMs(header: string | null): number {
  if (header === null) return defaultRetryAfterMs;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 1000), mostRetryAfterMs) : defaultRetryAfterMs;
}

const reasonOf = ({ apiKey }: MailAccount, message: string): string =>
  withoutSecrets(message.replaceAll(apiKey.reveal(), '[secret]')).slice(0, 300);
