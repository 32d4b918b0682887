import type { StreamEvent } from '@botyard/client/event-stream';
import type { LiveEventName } from '@botyard/contracts/http/live';
import { follow, type OpenStream } from './follow.ts';

/** The events that invalidate a response. */
export interface Topic {
  events: readonly LiveEventName[];
  /** Limits the events to this chat. */
  chatId?: string;
}

/** An event, or `missed` if events may have been lost. */
export type Told = StreamEvent | 'missed';
type Listener = (told: Told) => void;

/** Keeps the stream open while the user moves from one page to the next. */
const lingerMs = 5000;

export function isAbout({ events, chatId }: Topic, told: Told): boolean {
  if (told === 'missed') return true;
  if (!events.includes(told.type as LiveEventName)) return false;
  return chatId === undefined || (told.data as { chatId?: string } | null)?.chatId === chatId;
}

/** A tenant's live events. All listeners share one stream, which is open while the page is visible. */
export class LiveStream {
  readonly #open: OpenStream;
  readonly #listeners = new Set<Listener>();
  readonly #watchers = new Set<() => void>();
  #stream: AbortController | undefined;
  #who: string | undefined;
  #isLookedAt = true;
  #isKept = false;
  #isOpen = false;
  #leaving: ReturnType<typeof setTimeout> | undefined;

  constructor(open: OpenStream) {
    this.#open = open;
  }

  /** True while the stream is open and delivers all events. */
  readonly isOpen = (): boolean => this.#isOpen;

  /** Calls back when `isOpen` changes. Returns the function that unsubscribes. */
  readonly watch = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  };

  /**
   * Adds a listener. `who` names the acting user and the tenant. An open stream of another `who` is closed. Returns the
   * function that unsubscribes.
   */
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

  /** Closes the stream of a hidden tab: a browser shares six connections per server among all its tabs. */
  look(isLookedAt: boolean): void {
    this.#isLookedAt = isLookedAt;
    this.#openOrClose();
  }

  /** Keeps the stream open in a hidden tab, whose reader wants to be notified. */
  keep(isKept: boolean): void {
    this.#isKept = isKept;
    this.#openOrClose();
  }

  #openOrClose(): void {
    if (this.#isLookedAt || this.#isKept) this.#openIfWanted();
    else this.#close();
  }

  #openIfWanted(): void {
    if (this.#stream || this.#listeners.size === 0 || !(this.#isLookedAt || this.#isKept)) return;
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
