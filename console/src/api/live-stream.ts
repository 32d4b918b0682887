import type { StreamEvent } from '@botyard/client/event-stream';
import type { LiveEventName } from '@botyard/contracts/http/live';
import { follow, type OpenStream } from './follow.ts';

/** Which events tell that an answer may be another one now. */
export interface Topic {
  events: readonly LiveEventName[];
  /** Only those of this chat. */
  chatId?: string;
}

/** An event; or `missed`, when anything may have happened that was not told. */
export type Told = StreamEvent | 'missed';
type Listener = (told: Told) => void;

/** A page that takes another's place finds the stream open. */
const lingerMs = 5000;

export function isAbout({ events, chatId }: Topic, told: Told): boolean {
  if (told === 'missed') return true;
  if (!events.includes(told.type as LiveEventName)) return false;
  return chatId === undefined || (told.data as { chatId?: string } | null)?.chatId === chatId;
}

/** A tenant's live events: one stream for all listeners, while there are any and the page is visible. */
export class LiveStream {
  readonly #open: OpenStream;
  readonly #listeners = new Set<Listener>();
  readonly #watchers = new Set<() => void>();
  #stream: AbortController | undefined;
  #who: string | undefined;
  #isLookedAt = true;
  #isOpen = false;
  #leaving: ReturnType<typeof setTimeout> | undefined;

  constructor(open: OpenStream) {
    this.#open = open;
  }

  /** Whether everything that happens is told. */
  readonly isOpen = (): boolean => this.#isOpen;

  /** Calls back when that changes. Returns what ends it. */
  readonly watch = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  };

  /** `who` says as whom and in which tenant: the stream of anybody else is closed. Returns what ends it. */
  listen(who: string, listener: Listener): () => void {
    if (this.#who !== who) this.#close();
    this.#who = who;
    this.#listeners.add(listener);
    this.#openIfWanted();
    return () => {
      this.#listeners.delete(listener);
      clearTimeout(this.#leaving);
      this.#leaving = setTimeout(() => this.#closeIfUnwanted(), lingerMs);
    };
  }

  /** A browser has six connections to a server for all of its tabs: a hidden one keeps none. */
  look(isLookedAt: boolean): void {
    this.#isLookedAt = isLookedAt;
    if (isLookedAt) this.#openIfWanted();
    else this.#close();
  }

  #openIfWanted(): void {
    if (this.#stream || this.#listeners.size === 0 || !this.#isLookedAt) return;
    this.#stream = new AbortController();
    const { signal } = this.#stream;
    void follow(this.#open, {
      signal,
      onOpen: () => {
        if (signal.aborted) return;
        this.#become(true);
        this.#tell('missed');
      },
      onEvent: (event) => {
        if (!signal.aborted) this.#tell(event.type === 'reset' ? 'missed' : event);
      },
      onEnd: () => this.#become(false),
    });
  }

  #closeIfUnwanted(): void {
    if (this.#listeners.size === 0) this.#close();
  }

  #close(): void {
    this.#stream?.abort();
    this.#stream = undefined;
    this.#become(false);
  }

  #tell(told: Told): void {
    for (const listener of this.#listeners) listener(told);
  }

  #become(isOpen: boolean): void {
    if (this.#isOpen === isOpen) return;
    this.#isOpen = isOpen;
    for (const changed of this.#watchers) changed();
  }
}
