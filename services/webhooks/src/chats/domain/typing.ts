import type { StaffPresence } from '@botyard/contracts/events/chat-hints';
import { chatKeyOf, type PlatformName } from '@botyard/contracts/http/platform';
import type { Foundation } from '@botyard/shared/service/foundation';
import { LRUCache } from 'lru-cache';
import type { TypingPlace } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';

/** Where a bot is typing. Without a platform, the one of the bot's that knows the chat. */
interface Shown {
  botId: string;
  platform?: PlatformName | undefined;
  chat: TypingPlace;
}

/** At most one signal for a chat in this time, however many of the staff type. */
const staffEveryMs = 3000;

type TypingDeps = Pick<Deps, 'platforms'> & Pick<Foundation, 'log'>;

/** Shows "typing" in chats. The platform shows it for at most 5 s, and clears it when the message arrives. */
export class Typing {
  readonly #deps: TypingDeps;
  readonly #inFlight = new LRUCache<string, Promise<void>>({ max: 5000 });
  readonly #staffShown = new LRUCache<string, true>({ max: 5000, ttl: staffEveryMs });

  constructor(deps: TypingDeps) {
    this.#deps = deps;
  }

  show({ botId, platform, chat }: Shown): void {
    const { platformChatId } = chat;
    const key = `${botId}/${platform ? chatKeyOf(platform, platformChatId) : platformChatId}`;
    const call = this.#show({ botId, platform, chat })
      .catch((error: unknown) => this.#deps.log.debug({ err: error }, 'could not show typing'))
      .finally(() => this.#inFlight.get(key) === call && this.#inFlight.delete(key));
    this.#inFlight.set(key, call);
  }

  /** Shows the people of a chat that staff are typing, while staff handle it and where the platform can show it. */
  showStaff({ botId, platform, chat, handling, state }: StaffPresence): void {
    const adapter = this.#deps.platforms[platform];
    if (state !== 'typing' || handling !== 'person' || !adapter.showStaffTyping) return;
    const key = `${botId}/${chatKeyOf(platform, chat.platformChatId)}/${chat.threadId ?? ''}`;
    if (this.#staffShown.has(key)) return;
    this.#staffShown.set(key, true);
    adapter
      .showStaffTyping(botId, chat)
      .catch((error: unknown) => this.#deps.log.debug({ err: error }, 'could not show that staff type'));
  }

  /** Waits for a pending "typing" call, so that it can't arrive after the message and remain visible. */
  async settled(botId: string, chatKey: string): Promise<void> {
    await this.#inFlight.get(`${botId}/${chatKey}`);
  }

  async #show({ botId, platform, chat }: Shown): Promise<void> {
    const { platforms } = this.#deps;
    const adapters = platform ? [platforms[platform]] : Object.values(platforms);
    await Promise.all(adapters.map((adapter) => adapter.showTyping?.(botId, chat)));
  }
}
