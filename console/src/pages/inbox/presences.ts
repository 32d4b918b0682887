import type { ChatPresence } from '@botyard/contracts/http/interactions-presence';

export type Presence = Pick<ChatPresence, 'userId' | 'name' | 'state'>;

/** As long as the API keeps a presence that isn't renewed. */
const lastsMs = 15_000;

/** The colleagues at each chat, as the live events tell it. Each is forgotten unless another event comes in time. */
export class Presences {
  readonly #ofChat = new Map<string, readonly Presence[]>();
  readonly #ends = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #watchers = new Set<() => void>();

  readonly watch = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  };

  of(chatId: string): readonly Presence[] {
    return this.#ofChat.get(chatId) ?? nobody;
  }

  hear({ chatId, userId, name, state }: ChatPresence): void {
    const key = `${chatId} ${userId}`;
    clearTimeout(this.#ends.get(key));
    this.#ends.delete(key);
    if (state !== 'gone')
      this.#ends.set(
        key,
        setTimeout(() => this.hear({ chatId, userId, state: 'gone' }), lastsMs),
      );
    const colleagues = this.of(chatId);
    const former = colleagues.find((one) => one.userId === userId);
    if ((former?.state ?? 'gone') === state && former?.name === name) return;
    const others = colleagues.filter((one) => one !== former);
    const present = state === 'gone' ? others : [...others, { userId, name, state }];
    if (present.length === 0) this.#ofChat.delete(chatId);
    else this.#ofChat.set(chatId, present);
    for (const changed of this.#watchers) changed();
  }

  /** Events are missing, or another tenant is shown. */
  clear(): void {
    for (const end of this.#ends.values()) clearTimeout(end);
    this.#ends.clear();
    this.#ofChat.clear();
    for (const changed of this.#watchers) changed();
  }
}

const nobody: readonly Presence[] = [];
