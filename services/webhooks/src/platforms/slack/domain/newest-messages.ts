import type { ReadMessage } from '../../domain/read-delivery.ts';
import { isTimestamp } from './place.ts';

const maxChats = 10_000;

/**
 * The newest message of a person in each direct chat, as far as this process has seen it: the platform shows a bot's
 * status beneath a message, and events of typing name only the chat.
 */
export class NewestMessages {
  readonly #kept = new Map<string, string>();

  note(botId: string, { chat, platformMessageId }: ReadMessage): void {
    if (chat.kind !== 'private' || !isTimestamp(platformMessageId)) return;
    const key = `${botId} ${chat.platformChatId}`;
    this.#kept.delete(key);
    this.#kept.set(key, platformMessageId);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxChats && oldest !== undefined) this.#kept.delete(oldest);
  }

  find(botId: string, platformChatId: string): string | undefined {
    return this.#kept.get(`${botId} ${platformChatId}`);
  }
}
