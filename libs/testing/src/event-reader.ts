import type { Identity } from '@botyard/contracts/identity';
import { identityHeader } from '@botyard/shared/auth/identity';
import { eventually } from './eventually.ts';
import type { TestService } from './service-harness.ts';

export interface HeardEvent {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields that they expect, and fail without them
  data: any;
}

interface ReaderOptions {
  as: Identity;
  lastEventId?: string;
  path?: string;
  /** Sent by POST, if given. */
  body?: unknown;
}

/** A client of server-sent events, as a browser would be with `fetch`. */
export class EventReader {
  readonly heard: HeardEvent[] = [];
  readonly comments: string[] = [];
  isOver = false;
  readonly #abort = new AbortController();

  static async open(
    service: TestService,
    { as, lastEventId, path = '/api/events', body }: ReaderOptions,
  ): Promise<EventReader> {
    const reader = new EventReader();
    const response = await fetch(`${service.url}${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        [identityHeader]: await service.identityOf(as),
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
      signal: reader.#abort.signal,
    });
    if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
    void reader.#read(response.body);
    return reader;
  }

  /** Resolves with the first event of this name once it has arrived. */
  first(name: string, isMeant: (event: HeardEvent) => boolean = () => true): Promise<HeardEvent> {
    return eventually(`${name} is heard`, () =>
      this.heard.find((event) => event.event === name && isMeant(event)),
    );
  }

  over(): Promise<true> {
    return eventually('the stream is over', () => this.isOver || undefined);
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const part of body) {
        const blocks = `${text}${decoder.decode(part, { stream: true })}`.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
      }
    } catch {
      // The stream was cut, or the reader was closed.
    }
    this.isOver = true;
  }

  #take(block: string): void {
    if (block.startsWith(':')) {
      this.comments.push(block.slice(2));
      return;
    }
    const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)));
    this.heard.push({ id: fields.id, event: fields.event, data: JSON.parse(fields.data) });
  }
}
