import type { Deps } from '../../deps.ts';
import type { Payload } from '../../store/schema.ts';
import type { NewReply } from '../store/replies.ts';

/**
 * The time limit for the thread's work on all replies that are queued together, including the thread's start: below the
 * time for which a transaction may be idle. Only dozens of hostile replies at once reach it, and are then sent plain.
 */
const maxMs = 12_000;

/** Replies in their platforms' formats. Each is formatted once. */
export class ReplyPayloads {
  readonly #deps: Pick<Deps, 'texts' | 'platforms'>;
  readonly #signal = AbortSignal.timeout(maxMs);
  readonly #known = new Map<string, Promise<readonly Payload[]>>();

  constructor(deps: Pick<Deps, 'texts' | 'platforms'>) {
    this.#deps = deps;
  }

  /** Formats all replies. Has to be called before anything is locked. */
  async prepare(replies: readonly NewReply[]): Promise<void> {
    await Promise.all(replies.map((reply) => this.of(reply)));
  }

  of(reply: NewReply): Promise<readonly Payload[]> {
    // A reply may have been blanked since it was prepared.
    if (reply.text === '') return Promise.resolve([]);
    const known = this.#known.get(reply.replyId) ?? this.#format(reply);
    this.#known.set(reply.replyId, known);
    return known;
  }

  #format({ platform, tenantId, text: markdown }: NewReply): Promise<readonly Payload[]> {
    return this.#deps.platforms[platform].format(this.#deps, { tenantId, markdown, signal: this.#signal });
  }
}
