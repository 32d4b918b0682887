/**
 * The platform's deliveries: signed over escaped bytes, each retried on its own for up to seven days, so that a later
 * one may arrive first. Changes within `batched` arrive together.
 */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { callableUrl, callFailure } from '../fake/outgoing-call.ts';
import { RecordLog } from '../fake/record-log.ts';
import type { Callback, WebhookPost } from './types.ts';

const answerTimeoutMs = 20_000;
const retriedForMs = 7 * 24 * 3600 * 1000;

/** One change of a notification. */
export type Change = { accountId: string; field: string; value: Record<string, unknown> };

type Receiver = { callback: Callback | undefined; appSecret: string };

export class Webhooks {
  readonly posts = new RecordLog<WebhookPost>();
  readonly #retryScale: number;
  readonly #closing: AbortSignal;
  #batch: { change: Change; receiver: Receiver }[] | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(retryScale: number, closing: AbortSignal) {
    this.#retryScale = retryScale;
    this.#closing = closing;
  }

  /** Changes that `act` causes are posted together, to each address. */
  batched(act: () => void): void {
    this.#batch = [];
    try {
      act();
      const byUrl = Map.groupBy(this.#batch, ({ receiver }) => receiver.callback?.url ?? '');
      for (const group of byUrl.values())
        this.#post(
          group.map(({ change }) => change),
          group[0]!.receiver,
        );
    } finally {
      this.#batch = undefined;
    }
  }

  add(change: Change, receiver: Receiver): void {
    if (this.#batch) this.#batch.push({ change, receiver });
    else this.#post([change], receiver);
  }

  /** Posts something again that arrived before. */
  repeat(post: WebhookPost, appSecret: string): Promise<number | undefined> {
    return this.#attempt(post, appSecret);
  }

  /** The status of the platform's check of an address; `undefined` if the address does not answer it. */
  async challenge({ url, verifyToken }: Callback): Promise<boolean> {
    const address = callableUrl(url);
    const challenge = String(Math.floor(Math.random() * 1e9));
    address.searchParams.set('hub.mode', 'subscribe');
    address.searchParams.set('hub.verify_token', verifyToken);
    address.searchParams.set('hub.challenge', challenge);
    try {
      const signal = AbortSignal.any([this.#closing, AbortSignal.timeout(answerTimeoutMs)]);
      const response = await fetch(address, { redirect: 'manual', signal });
      return response.status === 200 && (await response.text()) === challenge;
    } catch {
      return false;
    }
  }

  #post(changes: readonly Change[], { callback, appSecret }: Receiver): void {
    const body = {
      object: 'whatsapp_business_account',
      entry: [...Map.groupBy(changes, ({ accountId }) => accountId)].map(([id, of]) => ({
        id,
        time: Math.floor(Date.now() / 1000),
        changes: of.map(({ field, value }) => ({ value, field })),
      })),
    };
    const phoneNumberId = (changes[0]?.value.metadata as { phone_number_id?: string } | undefined)
      ?.phone_number_id;
    const post: WebhookPost = {
      phoneNumberId,
      url: callback?.url ?? '',
      body,
      attempts: [],
      state: 'queued',
    };
    if (!callback) post.state = 'unsubscribed';
    this.posts.add(post);
    if (!callback) return;
    // The first attempts keep their order, and a retry holds up nothing.
    this.#last = this.#last
      .then(() => this.#attempt(post, appSecret))
      .then((status) => {
        if (!isFine(status)) void this.#retry(post, appSecret);
      });
  }

  async #retry(post: WebhookPost, appSecret: string): Promise<void> {
    const startedAt = Date.now();
    for (let attempt = 1; !this.#closing.aborted; attempt += 1) {
      const delayMs = Math.min(2 ** attempt * 1000, 3_600_000) * this.#retryScale;
      if (Date.now() + delayMs > startedAt + retriedForMs * this.#retryScale) break;
      await sleep(delayMs, undefined, { signal: this.#closing }).catch(() => undefined);
      if (this.#closing.aborted || isFine(await this.#attempt(post, appSecret))) return;
    }
    post.state = 'dropped';
    this.posts.touch(post);
  }

  async #attempt(post: WebhookPost, appSecret: string): Promise<number | undefined> {
    const bytes = escapedJson(post.body);
    const signature = createHmac('sha256', appSecret).update(bytes).digest('hex');
    const at = Date.now();
    try {
      const signal = AbortSignal.any([this.#closing, AbortSignal.timeout(answerTimeoutMs)]);
      const response = await fetch(callableUrl(post.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
        body: bytes,
        redirect: 'manual',
        signal,
      });
      await response.arrayBuffer();
      post.attempts.push({ at, status: response.status });
      post.state = isFine(response.status) ? 'delivered' : 'retrying';
      return response.status;
    } catch (error) {
      post.attempts.push({ at, error: callFailure(error) });
      post.state = 'retrying';
      return undefined;
    } finally {
      this.posts.touch(post);
    }
  }
}

const isFine = (status: number | undefined): boolean => status === 200;

/** The platform escapes slashes, and everything that is not ASCII with lower-case digits. */
const escapedJson = (body: unknown): string =>
  JSON.stringify(body)
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
