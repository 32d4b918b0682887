import type { Foundation } from '@botyard/shared/service/foundation';
import { LRUCache } from 'lru-cache';
import type { TypingPlace } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';

type TypingDeps = Pick<Deps, 'platforms'> & Pick<Foundation, 'log'>;

/** Shows "typing" in chats. The platform shows it for at most 5 s, and clears it when the message arrives. */
export class Typing {
  readonly #deps: TypingDeps;
  readonly #inFlight = new LRUCache<string, Promise<void>>({ max: 5000 });

  constructor(deps: TypingDeps) {
    this.#deps = deps;
  }

  show(botId: string, place: TypingPlace): void {
    const key = `${botId}/${place.platformChatId}`;
    const call = this.#show(botId, place)
      .catch((error: unknown) => this.#deps.log.debug({ err: error }, 'could not show typing'))
      .finally(() => this.#inFlight.get(key) === call && this.#inFlight.delete(key));
    this.#inFlight.set(key, call);
  }

  /** Waits for a pending "typing" call, so that it can't arrive after the message and remain visible. */
  async settled(botId: string, platformChatId: string): Promise<void> {
    await this.#inFlight.get(`${botId}/${platformChatId}`);
  }

  async #show(botId: string, place: TypingPlace): Promise<void> {
    const platforms = Object.values(this.#deps.platforms);
    await Promise.all(platforms.map((platform) => platform.showTyping?.(botId, place)));
  }
}
