import { type StreamClient, writeEvent } from '@botyard/contracts/http/event-stream';
import type { StreamPosition, TailedEvent } from '@botyard/shared/bus/event-tail';
import type { Happening } from './happenings.ts';
import { type FollowedOwner, type Position, writePosition } from './position.ts';

/** A bus event with its form for listeners. */
export interface Told {
  tailed: Pick<TailedEvent, 'seq' | 'atMs'> & { event: { owner: string } };
  happenings: readonly Happening[];
}

export interface ListenerOptions {
  tenantId: string;
  userId: string;
  idpUserId: string;
  isOperator: boolean;
  /** The end of their API token. */
  endsAt?: string | undefined;
  /** Decides again whether they may listen. */
  mayStill: () => Promise<boolean>;
}

/** Limit on events that wait while a listener gets missed ones. */
const maxWaiting = 1000;

/** A listener, and their position. */
export class Listener {
  readonly options: ListenerOptions;
  #position: Record<FollowedOwner, StreamPosition>;
  #client: StreamClient | undefined;
  /** Events during the delivery of missed ones. */
  #waiting: Told[] | undefined = [];
  #hasLost = false;
  #isEnded = false;

  constructor(options: ListenerOptions, position: Position) {
    this.options = options;
    this.#position = structuredClone(position);
  }

  /** Sends the missed events, then those since; `null` when the missed ones can't be read. */
  open(client: StreamClient, missed: readonly Told[] | null): void {
    this.#client = client;
    if (this.#isEnded) {
      client.end();
      return;
    }
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    if (missed === null || this.#hasLost) this.reset();
    for (const told of [...(missed ?? []), ...waiting]) this.tell(told);
  }

  tell(told: Told): void {
    if (this.#waiting) {
      if (this.#waiting.length < maxWaiting) this.#waiting.push(told);
      else this.#hasLost = true;
      return;
    }
    const { event, seq, atMs } = told.tailed;
    const place = this.#position[event.owner as FollowedOwner];
    if (seq <= place.seq) return;
    place.seq = seq;
    for (const happening of told.happenings) this.#send(happening, atMs);
  }

  /** Sends an event without a place in a stream. */
  mention(happening: Happening): void {
    if (!this.#waiting) this.#send(happening, Date.now());
  }

  /** Events in between are unknown here: the client has to read the lists. */
  reset(position?: Position): void {
    if (position) this.#position = structuredClone(position);
    if (this.#waiting) this.#hasLost = true;
    else this.#write('reset', '{}', Date.now());
  }

  end(): void {
    this.#isEnded = true;
    this.#client?.end();
  }

  #send({ name, json }: Happening, atMs: number): void {
    this.#write(name, json, atMs);
  }

  #write(event: string, json: string, atMs: number): void {
    this.#client?.send(writeEvent({ id: writePosition(this.#position, atMs), event, json }));
  }
}
