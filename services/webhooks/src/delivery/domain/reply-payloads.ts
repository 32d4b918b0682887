import type { Payload } from '../../store/schema.ts';
import type { QueueDeps } from '../deps.ts';
import type { NewReply } from '../store/replies.ts';

type FormatDeps = Pick<QueueDeps, 'platforms'>;

/**
 * The time limit for the thread's work on all replies that are queued together, including the thread's start: below the
 * time for which a transaction may be idle. Only dozens of hostile replies at once reach it, and are then sent plain.
 */
const maxMs = 12_000;

/** Replies in their platforms' formats. Each is formatted once. */
export class ReplyPayloads {
  readonly #deps: FormatDeps;
  readonly #signal = AbortSignal.timeout(maxMs);
  readonly #formatted = new Map<string, Promise<readonly Payload[]>>();

  constructor(deps: FormatDeps) {
    this.#deps = deps;
  }

  /** Formats all replies. Has to be called before anything is locked. */
  async prepare(replies: readonly NewReply[]): Promise<void> {
    await Promise.all(replies.map((reply) => this.of(reply)));
  }

  of(reply: NewReply): Promise<readonly Payload[]> {
    // A reply may have been blanked since it was prepared.
    if (reply.text === '') return Promise.resolve([]);
    const payloads = this.#formatted.get(reply.replyId) ?? this.#format(reply);
    this.#formatted.set(reply.replyId, payloads);
    return payloads;
  }

  #format({ platform, tenantId, text: markdown }: NewReply): Promise<readonly Payload[]> {
    return this.#deps.platforms[platform].format({ tenantId, markdown, signal: this.#signal });
  }
}
