import type { DataOf, EventType } from '@botyard/contracts/events/definition';
import type { TenantTx } from '../db/database.ts';

/** An event as a handler gets it. */
export interface Received<E extends EventType = EventType> {
  id: string;
  data: DataOf<E>;
  traceparent: string | undefined;
}

/** Tells which events are to be handled at all. Both are asked beside the inbox, so that they cost no round trip. */
export interface Sift {
  find(tx: TenantTx, events: readonly Received[]): Promise<(event: Received) => boolean>;
  /** Fails the transaction unless all of them are. */
  requireAll(tx: TenantTx, events: readonly Received[]): Promise<void>;
}

/** A line of a service's table of consumers. The handler's effect commits together with the mark in the inbox. */
export interface Subscription<Deps> {
  event: EventType;
  handle(tx: TenantTx, events: Received[], deps: Deps): Promise<void>;
  sift?: Sift;
  /**
   * For what comes with every message: the effect is sent to the database without a look first at whether the events
   * are new and wanted. If they are not, all of it is undone and they are handled with a look. So the handler may
   * change nothing but what its transaction changes.
   */
  expectsNew?: boolean;
  /** The effect is not urgent: events are gathered for a moment, so that many share a transaction. */
  isGathered?: boolean;
}

/** Handles events one at a time. */
export function on<E extends EventType, Deps>(
  event: E,
  handle: (tx: TenantTx, event: Received<E>, deps: Deps) => Promise<void>,
): Subscription<Deps> {
  return {
    event,
    handle: async (tx, events, deps) => {
      for (const received of events as Received<E>[]) await handle(tx, received, deps);
    },
  };
}

/** Handles all events that arrived together, in their order, in one transaction; see `expectsNew`. */
export function onBatch<E extends EventType, Deps>(
  event: E,
  handle: (tx: TenantTx, events: Received<E>[], deps: Deps) => Promise<void>,
): Subscription<Deps> {
  return { event, expectsNew: true, handle: (tx, events, deps) => handle(tx, events as Received<E>[], deps) };
}

/** As `onBatch`, for an effect that is not urgent. */
export const onGathered = <E extends EventType, Deps>(
  event: E,
  handle: (tx: TenantTx, events: Received<E>[], deps: Deps) => Promise<void>,
): Subscription<Deps> => ({ ...onBatch<E, Deps>(event, handle), isGathered: true });
