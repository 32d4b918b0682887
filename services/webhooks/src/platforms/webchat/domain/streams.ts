import type { ChatHint, ChatPreview } from '@botyard/contracts/events/chat-hints';
import { type Database, withTenant } from '@botyard/shared/db/database';
import type { Log } from '@botyard/shared/log/log';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import { listAfter, newestOf } from '../store/messages.ts';
import { noteShown } from '../store/missed.ts';
import { toShown } from './shown-message.ts';

/** An open window, and how far it has read. */
export interface OpenStream {
  tenantId: string;
  visitorId: string;
  /** The number up to which the window knows everything. */
  after: number;
  send(event: string, data: unknown, seq?: number): void;
}

const batchSize = 100;
/** A lost hint costs a window no more than this. */
const sweepEveryMs = 10_000;

/**
 * The open streams of this process. A hint only wakes them: what they send is read from the database, by number, so a
 * lost or repeated hint neither loses nor repeats a message.
 */
export class Streams {
  readonly #database: Database;
  readonly #log: Log;
  readonly #open = new Map<string, Set<OpenStream>>();
  /** Windows that were closed since the last sweep. */
  readonly #closed: OpenStream[] = [];
  readonly #reading = new Map<string, { again: boolean }>();

  constructor({ database, log }: { database: Database; log: Log }) {
    this.#database = database;
    this.#log = log;
  }

  get count(): number {
    return [...this.#open.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Sends what the window has missed, and from now on everything. Returns the function that ends it. */
  add(stream: OpenStream): () => void {
    const streams = this.#open.get(stream.visitorId) ?? new Set();
    this.#open.set(stream.visitorId, streams.add(stream));
    this.wake(stream.visitorId);
    return () => {
      streams.delete(stream);
      this.#closed.push(stream);
      if (streams.size === 0 && this.#open.get(stream.visitorId) === streams)
        this.#open.delete(stream.visitorId);
    };
  }

  /** There may be something new for a visitor. */
  wake(visitorId: string): void {
    if (!this.#open.has(visitorId)) return;
    const reading = this.#reading.get(visitorId);
    if (reading) reading.again = true;
    else void this.#read(visitorId);
  }

  hint({ platformChatId, hint }: ChatHint): void {
    if (hint === 'changed') this.wake(platformChatId);
    else for (const stream of this.#open.get(platformChatId) ?? []) stream.send(hint, {});
  }

  preview({ chat, turnId, text }: ChatPreview): void {
    for (const stream of this.#open.get(chat.platformChatId) ?? []) stream.send('preview', { turnId, text });
  }

  /** Looks for what hints have not announced. */
  createSweep(): Worker {
    return createPeriodic({
      name: 'streams of web chats',
      everyMs: sweepEveryMs,
      log: this.#log,
      work: async () => {
        await this.#noteShown();
        const visitorIds = [...this.#open.keys()];
        if (visitorIds.length === 0) return;
        const newest = await newestOf(this.#database, visitorIds);
        for (const [visitorId, streams] of this.#open) {
          const seq = newest.get(visitorId) ?? 0;
          if ([...streams].some(({ after }) => after < seq)) this.wake(visitorId);
        }
      },
    });
  }

  /** Messages that a window has got were not missed, and don't come by mail. */
  async #noteShown(): Promise<void> {
    const shown = [...this.#closed.splice(0), ...[...this.#open.values()].flatMap((streams) => [...streams])];
    if (shown.length > 0) await noteShown(this.#database, shown);
  }

  async #read(visitorId: string): Promise<void> {
    const reading = { again: true };
    this.#reading.set(visitorId, reading);
    try {
      while (reading.again) {
        reading.again = false;
        if (await this.#readOnce(visitorId)) reading.again = true;
      }
    } catch (error) {
      // The sweep reads again.
      this.#log.warn({ err: error }, 'could not read the messages of a web chat');
    } finally {
      this.#reading.delete(visitorId);
    }
  }

  /** Returns whether there may be more. */
  async #readOnce(visitorId: string): Promise<boolean> {
    const streams = [...(this.#open.get(visitorId) ?? [])];
    const [first] = streams;
    if (!first) return false;
    const { tenantId } = first;
    const after = Math.min(...streams.map((stream) => stream.after));
    const messages = await withTenant(this.#database, [tenantId], (tx) =>
      listAfter(tx, { tenantId, visitorId, after, limit: batchSize }),
    );
    for (const message of messages) {
      for (const stream of streams) {
        if (stream.after >= message.seq) continue;
        stream.after = message.seq;
        stream.send('message', toShown(message), message.seq);
      }
    }
    return messages.length === batchSize;
  }
}
