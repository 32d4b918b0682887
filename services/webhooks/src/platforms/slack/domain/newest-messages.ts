import { LRUCache } from 'lru-cache';
import type { ReadMessage } from '../../domain/read-delivery.ts';
import { isTimestamp } from './place.ts';

/**
 * The newest message of a person in each direct chat, as far as this process has seen it: the platform shows a bot's
 * status beneath a message, and events of typing name only the chat.
 */
export class NewestMessages {
  readonly #kept = new LRUCache<string, string>({ max: 10_000 });

  note(botId: string, { chat, platformMessageId }: ReadMessage): void {
    if (chat.kind !== 'private' || !isTimestamp(platformMessageId)) return;
    this.#kept.set(`${botId} ${chat.platformChatId}`, platformMessageId);
  }

  find(botId: string, platformChatId: string): string | undefined {
    return this.#kept.get(`${botId} ${platformChatId}`);
  }
}
