import { ApiError } from '@botyard/client/api-error';

/** A template that the platform approved, and the texts for its gaps. */
export interface ChosenTemplate {
  name: string;
  language: string;
  parameters: string[];
}

/** A message of the reader that the API has not stored yet, or that the list of messages doesn't show yet. */
export interface OutgoingMessage {
  id: string;
  text: string;
  file?: File | undefined;
  /** The template whose filled text this is. */
  template?: ChosenTemplate | undefined;
  createdAt: string;
  state: 'sending' | 'failed';
  /** The share of the file that has been sent, from 0 to 1. */
  share?: number;
  reason?: string;
  /** Once the API has stored it. */
  messageId?: string;
}

/** A message as its author wrote it: a text, a file, or both; or a template. */
export type Written = Pick<OutgoingMessage, 'text' | 'file' | 'template'>;
type Post = (written: Written, onProgress: (share: number) => void) => Promise<{ messageId: string }>;

const none: readonly OutgoingMessage[] = [];

/**
 * The messages that are being sent, by chat. They outlive the page of the chat, so a failure is never lost. Messages of
 * a chat are sent one after the other. A failed one is sent again only when its author asks for it.
 */
export class Outgoing {
  private readonly chats = new Map<string, readonly OutgoingMessage[]>();
  private readonly ends = new Map<string, Promise<void>>();
  private readonly listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  of(chatId: string): readonly OutgoingMessage[] {
    return this.chats.get(chatId) ?? none;
  }

  /** `onStored` loads the list of messages, which shows the message from then on. */
  send(chatId: string, written: Written, post: Post, onStored: () => Promise<unknown>): Promise<void> {
    const message = { ...written, id: crypto.randomUUID(), createdAt: new Date().toISOString() };
    this.set(chatId, [...this.of(chatId), { ...message, state: 'sending' }]);
    const sending = (this.ends.get(chatId) ?? Promise.resolve()).then(async () => {
      try {
        const { messageId } = await post(written, (share) => this.change(chatId, message.id, { share }));
        this.change(chatId, message.id, { messageId });
        await onStored();
        this.remove(chatId, message.id);
      } catch (error) {
        this.change(chatId, message.id, { state: 'failed', reason: reasonOf(error) });
      }
    });
    this.ends.set(chatId, sending);
    return sending;
  }

  remove(chatId: string, id: string): void {
    this.set(
      chatId,
      this.of(chatId).filter((message) => message.id !== id),
    );
  }

  private change(chatId: string, id: string, change: Partial<OutgoingMessage>): void {
    this.set(
      chatId,
      this.of(chatId).map((message) => (message.id === id ? { ...message, ...change } : message)),
    );
  }

  private set(chatId: string, messages: readonly OutgoingMessage[]): void {
    if (messages.length > 0) this.chats.set(chatId, messages);
    else this.chats.delete(chatId);
    for (const listener of this.listeners) listener();
  }
}

/** Without an answer the message may have been stored: its author should look before sending it again. */
const reasonOf = (error: unknown): string =>
  error instanceof ApiError
    ? error.message
    : 'The connection was lost. Check that the message has not arrived before you send it again.';

export const outgoing = new Outgoing();
