/**
 * The platform's deliveries: signed, with 3 s for the answer, and three more attempts (immediately, after a minute and
 * after five) for events. Commands and presses are sent once.
 */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { callableUrl } from '../fake/outgoing-call.ts';
import type { SlackDelivery } from './types.ts';

const answerTimeoutMs = 3000;
const retryDelaysMs = [0, 60_000, 300_000];

export interface Posting {
  signingSecret: string;
  closing: AbortSignal;
  /** Multiplies the delays before an event is sent again. */
  retryScale: number;
  onChange: (delivery: SlackDelivery) => void;
}

export function signed(secret: string, body: string, seconds = Math.floor(Date.now() / 1000)) {
  const signature = createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': String(seconds), 'x-slack-signature': `v0=${signature}` };
}

/** Resolves when the delivery needs no further attempt. Never rejects. */
export async function deliver(delivery: SlackDelivery, posting: Posting): Promise<void> {
  const delays = delivery.kind === 'event' ? retryDelaysMs : [];
  for (let retryNum = 0; retryNum <= delays.length; retryNum += 1) {
    if (retryNum > 0) await pause((delays[retryNum - 1] ?? 0) * posting.retryScale, posting.closing);
    if (posting.closing.aborted) return;
    const isDone = await attempt(delivery, retryNum, posting);
    delivery.state = isDone ? 'delivered' : retryNum < delays.length ? 'retrying' : 'dropped';
    posting.onChange(delivery);
    if (isDone) return;
  }
}

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => undefined);

/** Whether the platform sends it no more. */
async function attempt(
  delivery: SlackDelivery,
  retryNum: number,
  { signingSecret, closing }: Posting,
): Promise<boolean> {
  const at = Date.now();
  const last = delivery.attempts.at(-1);
  const reason = last?.status === undefined ? 'http_timeout' : 'http_error';
  try {
    const response = await fetch(callableUrl(delivery.url), {
      method: 'POST',
      headers: {
        'content-type': delivery.contentType,
        ...signed(signingSecret, delivery.body),
        ...(retryNum > 0 ? { 'x-slack-retry-num': String(retryNum), 'x-slack-retry-reason': reason } : {}),
      },
      body: delivery.body,
      redirect: 'manual',
      signal: AbortSignal.any([closing, AbortSignal.timeout(answerTimeoutMs)]),
    });
    const body = await response.text();
    delivery.attempts.push({ at, status: response.status, retryNum, body });
    const isRefusal = response.headers.get('x-slack-no-retry') === '1';
    return isRefusal || (response.status >= 200 && response.status < 300);
  } catch {
    delivery.attempts.push({ at, retryNum });
    return false;
  }
}
