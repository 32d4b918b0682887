import { type StreamClient, writeEvent } from '@botyard/contracts/http/event-stream';
import type { TailedEvent } from '@botyard/shared/bus/event-tail';
import type { Happening } from './happenings.ts';
import { type FollowedOwner, isWithin, movedTo, type Position, writePosition } from './position.ts';

/** A bus event with its form for listeners. */
export interface Told {
  tailed: Pick<TailedEvent, 'seq' | 'atMs'> & { event: { owner: string } };
  happenings: readonly Happening[];
}

/** Events that all listeners of a tenant receive together, formatted once for all listeners at the same position. */
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
  /** The bots that a responder is limited to; `null` for everybody else. */
  botIds: readonly string[] | null;
  /** Checks again whether they may listen. */
  mayStill: () => Promise<boolean>;
}

/** The most events that wait while a listener receives missed ones. */
const maxWaiting = 1000;

/** A listener with its position. */
export class Listener {
  readonly options: ListenerOptions;
  #position: Position;
  #client: StreamClient | undefined;
  /** Events that arrive while missed ones are being sent. */
  #waiting: Batch[] | undefined = [];
  #waitingCount = 0;
  #hasLost = false;
  /** The streams were recreated: missed events belong to the former ones. */
  #hasMoved = false;
  #isEnded = false;

  constructor(options: ListenerOptions, position: Position) {
    this.options = options;
    this.#position = position;
  }

  /** Sends the missed events, then those since. `missed` is `null` when they can't be read. */
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
    if (this.#position === batch.before && this.options.botIds === null) {
      this.#position = batch.after;
      this.#send(batch.text);
      return;
    }
    this.#tellUnheard(batch.told);
    // From now on this listener has received the same events as the others.
    if (isWithin(this.#position, batch.after)) this.#position = batch.after;
  }

  /** Sends an event that has no position in a stream. A responder receives none about bots that aren't theirs. */
  mention(happening: Happening): void {
    const { botIds } = this.options;
    if (botIds !== null && happening.botId !== undefined && !botIds.includes(happening.botId)) return;
    if (!this.#waiting) this.#send(writeHappening(happening, this.#position, Date.now()));
  }

  /** The events in between are unknown, so the client has to reload its lists. */
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
    for (const readEvent of events) {
      const { event, seq } = readEvent.tailed;
      const owner = event.owner as FollowedOwner;
      if (seq <= this.#position[owner].seq) continue;
      this.#position = movedTo(this.#position, owner, seq);
      text += writeTold(this.#withinBots(readEvent), this.#position);
    }
    this.#send(text);
  }

  #withinBots(readEvent: Told): Told {
    const { botIds } = this.options;
    if (botIds === null) return readEvent;
    const isTheirs = ({ botId }: Happening) => botId !== undefined && botIds.includes(botId);
    return { ...readEvent, happenings: readEvent.happenings.filter(isTheirs) };
  }

  #send(text: string | Uint8Array): void {
    if (text.length > 0) this.#client?.send(text);
  }
}

/** The text of an event that takes listeners to the position. */
export const writeTold = ({ tailed, happenings }: Told, position: Position): string =>
  happenings.map((happening) => writeHappening(happening, position, tailed.atMs)).join('');

const writeHappening = (
  { name, json }: { name: Happening['name'] | 'reset'; json: string },
  position: Position,
  atMs: number,
): string => writeEvent({ id: writePosition(position, atMs), event: name, json });
