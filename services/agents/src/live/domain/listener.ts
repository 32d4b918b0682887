import { type StreamClient, writeEvent } from '@botyard/contracts/http/event-stream';
import type { TailedEvent } from '@botyard/shared/bus/event-tail';
import type { Happening } from './happenings.ts';
import { type FollowedOwner, isWithin, movedTo, type Position, writePosition } from './position.ts';

/** A bus event with its form for listeners. */
export interface Told {
  tailed: Pick<TailedEvent, 'seq' | 'atMs'> & { event: { owner: string } };
  happenings: readonly Happening[];
}

/** Events that all listeners of a tenant are told at once, written once for all who have heard the same before. */
export interface Batch {
  told: readonly Told[];
  before: Position;
  after: Position;
  text: Uint8Array;
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
  #position: Position;
  #client: StreamClient | undefined;
  /** Events during the delivery of missed ones. */
  #waiting: Batch[] | undefined = [];
  #waitingCount = 0;
  #hasLost = false;
  /** The streams were made anew: what was missed before is of the former ones. */
  #hasMoved = false;
  #isEnded = false;

  constructor(options: ListenerOptions, position: Position) {
    this.options = options;
    this.#position = position;
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
    if (missed !== null && !this.#hasMoved) this.#tellUnheard(missed);
    for (const batch of waiting) this.tell(batch);
  }

  tell(batch: Batch): void {
    if (this.#waiting) {
      this.#waitingCount += batch.told.length;
      if (this.#waitingCount <= maxWaiting) this.#waiting.push(batch);
      else this.#hasLost = true;
      return;
    }
    if (this.#position === batch.before) {
      this.#position = batch.after;
      this.#send(batch.text);
      return;
    }
    this.#tellUnheard(batch.told);
    // From now on they have heard what the others have.
    if (isWithin(this.#position, batch.after)) this.#position = batch.after;
  }

  /** Sends an event without a place in a stream. */
  mention(happening: Happening): void {
    if (!this.#waiting) this.#send(writeHappening(happening, this.#position, Date.now()));
  }

  /** Events in between are unknown here: the client has to read the lists. */
  reset(position?: Position): void {
    if (position) this.#position = position;
    if (!this.#waiting) {
      this.#send(writeHappening({ name: 'reset', json: '{}' }, this.#position, Date.now()));
      return;
    }
    this.#hasLost = true;
    if (!position) return;
    this.#hasMoved = true;
    this.#waiting = [];
  }

  end(): void {
    this.#isEnded = true;
    this.#client?.end();
  }

  #tellUnheard(events: readonly Told[]): void {
    let text = '';
    for (const told of events) {
      const { event, seq } = told.tailed;
      const owner = event.owner as FollowedOwner;
      if (seq <= this.#position[owner].seq) continue;
      this.#position = movedTo(this.#position, owner, seq);
      text += writeTold(told, this.#position);
    }
    this.#send(text);
  }

  #send(text: string | Uint8Array): void {
    if (text.length > 0) this.#client?.send(text);
  }
}

/** The text of an event for listeners who have come to a position with it. */
export const writeTold = ({ tailed, happenings }: Told, position: Position): string =>
  happenings.map((happening) => writeHappening(happening, position, tailed.atMs)).join('');

const writeHappening = (
  { name, json }: { name: Happening['name'] | 'reset'; json: string },
  position: Position,
  atMs: number,
): string => writeEvent({ id: writePosition(position, atMs), event: name, json });
