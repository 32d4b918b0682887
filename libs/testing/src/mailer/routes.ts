/** Delivers mail to a bot's webhook: 200 is final, 406 is a final refusal, and anything else is retried for 8 hours. */
import { setTimeout as sleep } from 'node:timers/promises';
import { callableUrl, callFailure } from '../fake/outgoing-call.ts';
import { inboundBody, inboundFields, signMail } from './inbound-fields.ts';
import type { MailAttempt, MailDelivery, MailRoute } from './types.ts';

const minute = 60_000;
const retryAfterMs = [10, 10, 15, 30, 60, 120, 240].map((minutes) => minutes * minute);
const answerTimeoutMs = 60_000;

export class MailRoutes {
  readonly #routes = new Map<string, MailRoute>();
  readonly #retryScale: number;
  readonly #closing: AbortSignal;

  /** `retryScale` multiplies every delay: 0.0001 makes ten minutes 60 ms. */
  constructor(retryScale: number, closing: AbortSignal) {
    this.#retryScale = retryScale;
    this.#closing = closing;
  }

  get all(): MailRoute[] {
    return [...this.#routes.values()];
  }

  /** Mail to this address, with any `+` suffix, is posted there. `*` stands for every address without its own route. */
  add(route: MailRoute): void {
    this.#routes.set(route.address.toLowerCase(), route);
  }

  find(recipient: string): MailRoute | undefined {
    const bare = recipient.toLowerCase().replace(/\+[^@]*@/, '@');
    return this.#routes.get(bare) ?? this.#routes.get('*');
  }

  /** Resolves when the mail is accepted, refused for good, or dropped. Every attempt is signed again. */
  async deliver(delivery: MailDelivery, onChange: () => void): Promise<void> {
    const { route } = delivery;
    if (route === undefined) return;
    for (;;) {
      const attempt = await this.#post(delivery, route);
      if (this.#closing.aborted) return;
      delivery.attempts.push(attempt);
      const delayMs = retryAfterMs[delivery.attempts.length - 1];
      if (attempt.status === 200) delivery.state = 'delivered';
      else if (attempt.status === 406) delivery.state = 'rejected';
      else delivery.state = delayMs === undefined ? 'dropped' : 'retrying';
      onChange();
      if (delivery.state !== 'retrying' || delayMs === undefined) return;
      await sleep(delayMs * this.#retryScale, undefined, { signal: this.#closing }).catch(() => undefined);
      if (this.#closing.aborted) return;
    }
  }

  async #post({ mail }: MailDelivery, { url, signingKey }: MailRoute): Promise<MailAttempt> {
    const at = Date.now();
    const fields = inboundFields(mail, signingKey === undefined ? undefined : signMail(signingKey, at));
    try {
      const signal = AbortSignal.any([this.#closing, AbortSignal.timeout(answerTimeoutMs)]);
      const body = inboundBody(fields, mail.files);
      const response = await fetch(callableUrl(url), { method: 'POST', body, redirect: 'manual', signal });
      await response.body?.cancel();
      return { at, status: response.status };
    } catch (error) {
      return { at, error: callFailure(error) };
    }
  }
}
