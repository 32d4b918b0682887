import type { ReplyPart } from './format-reply.ts';

/** A message, or a piece of one. */
export interface Piece extends ReplyPart {
  /** Sent as a Markdown block, else as a text. */
  isBlock: boolean;
}

/** More than the parts that a process sends at the same time, or holds for a wait of the platform. */
const maxParts = 1000;

/** The pieces of split messages that are still to be sent, by the message's part, in this process. */
export class PieceBook {
  readonly #kept = new Map<string, readonly Piece[]>();

  get(partId: string): readonly Piece[] | undefined {
    return this.#kept.get(partId);
  }

  keep(partId: string, pieces: readonly Piece[]): void {
    this.#kept.delete(partId);
    this.#kept.set(partId, pieces);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxParts && oldest !== undefined) this.#kept.delete(oldest);
  }

  forget(partId: string): void {
    this.#kept.delete(partId);
  }
}
