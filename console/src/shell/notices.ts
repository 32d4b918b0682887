import type { Schema } from '@botyard/client/client';
import type { Told } from '../api/live-stream.ts';

/** A notification for a reader who looks elsewhere. Others may see the screen, so it has no name and no text. */
export interface Notice {
  chatId: string;
  words: string;
}

type ChatUpdate = Pick<Schema<'Chat'>, 'chatId' | 'state' | 'handling' | 'assigneeUserId'>;

/** The number of chats whose last state is remembered. */
const maxChats = 2000;

/** Finds the live events that a reader is notified of: chats that begin to wait, and messages in their own chats. */
export class Notices {
  readonly #userId: string | null;
  readonly #reasons = new Map<string, 'waiting' | 'mine'>();

  constructor(userId: string | null) {
    this.#userId = userId;
  }

  /** Remembers chats that the reader handles, without a notice. */
  know(chatIds: readonly string[]): void {
    for (const chatId of chatIds) this.#remember(chatId, 'mine');
  }

  hear(told: Told): Notice | undefined {
    if (told === 'missed') return undefined;
    if (told.type === 'chat.updated') return this.#hearUpdate(told.data as ChatUpdate);
    if (told.type !== 'message.received') return undefined;
    const { chatId } = told.data as Schema<'Message'>;
    if (this.#reasons.get(chatId) !== 'mine') return undefined;
    return { chatId, words: 'There is a new message in a chat that you handle.' };
  }

  #hearUpdate({ chatId, state, handling, assigneeUserId }: ChatUpdate): Notice | undefined {
    const before = this.#reasons.get(chatId);
    const isMine = handling === 'person' && assigneeUserId !== null && assigneeUserId === this.#userId;
    const reason = isMine ? 'mine' : state === 'waiting' ? 'waiting' : undefined;
    this.#remember(chatId, reason);
    if (reason === undefined || reason === before) return undefined;
    return { chatId, words: isMine ? 'A chat was assigned to you.' : 'A chat waits for a person.' };
  }

  /** The chat that was heard of longest ago is forgotten first. */
  #remember(chatId: string, reason: 'waiting' | 'mine' | undefined): void {
    this.#reasons.delete(chatId);
    if (reason === undefined) return;
    this.#reasons.set(chatId, reason);
    const [oldest] = this.#reasons.keys();
    if (this.#reasons.size > maxChats && oldest !== undefined) this.#reasons.delete(oldest);
  }
}
