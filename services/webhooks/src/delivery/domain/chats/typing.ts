import type { ChatPlace } from '@botyard/contracts/events/webhooks';
import { LRUCache } from 'lru-cache';
import type { Deps } from '../../../deps.ts';

type Place = Pick<ChatPlace, 'platformChatId' | 'threadId'>;

/** Shows "typing" in chats. It is shown for at most 5 s by the platform, and cleared by the message that follows. */
export class Typing {
  readonly #deps: Pick<Deps, 'endpoints' | 'messenger' | 'log'>;
  readonly #inFlight = new LRUCache<string, Promise<void>>({ max: 5000 });

  constructor(deps: Pick<Deps, 'endpoints' | 'messenger' | 'log'>) {
    this.#deps = deps;
  }

  show(botId: string, place: Place): void {
    const key = `${botId}/${place.platformChatId}`;
    const shown = this.#show(botId, place)
      .catch((error: unknown) => this.#deps.log.debug({ err: error }, 'typing could not be shown'))
      .finally(() => this.#inFlight.get(key) === shown && this.#inFlight.delete(key));
    this.#inFlight.set(key, shown);
  }

  /** A message must not overtake its "typing", which would then stay after it. */
  async settled(botId: string, platformChatId: string): Promise<void> {
    await this.#inFlight.get(`${botId}/${platformChatId}`);
  }

  async #show(botId: string, { platformChatId, threadId }: Place): Promise<void> {
    const endpoint = await this.#deps.endpoints.find(botId);
    if (endpoint) await this.#deps.messenger.sendTyping(endpoint.botToken, { platformChatId, threadId });
  }
}
