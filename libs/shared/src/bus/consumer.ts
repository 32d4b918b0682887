import type { DataOf, EventType } from '@botyard/contracts/events/definition';
import type { TenantTx } from '../db/database.ts';

/** An event as a handler gets it. */
export interface Received<E extends EventType = EventType> {
  id: string;
  data: DataOf<E>;
  traceparent: string | undefined;
}

/** A line of a service's table of consumers. The handler's effect commits together with the mark in the inbox. */
export interface Subscription<Deps> {
  event: EventType;
  handle(tx: TenantTx, events: Received[], deps: Deps): Promise<void>;
  /** Which of the events are to be handled at all; asked beside the inbox, so that it costs no round trip. */
  sift?(tx: TenantTx, events: readonly Received[]): Promise<(event: Received) => boolean>;
  /** The effect is not urgent: events are gathered for a moment, so that many share a transaction. */
  isGathered?: boolean;
}

/** Handles events one at a time. */
export function on<E extends EventType, Deps>(
  event: E,
  handle: (tx: TenantTx, event: Received<E>, deps: Deps) => Promise<void>,
): Subscription<Deps> {
  return onBatch<E, Deps>(event, async (tx, events, deps) => {
    for (const received of events) await handle(tx, received, deps);
  });
}

/** Handles all events that arrived together, in their order, in one transaction. */
export function onBatch<E extends EventType, Deps>(
  event: E,
  handle: (tx: TenantTx, events: Received<E>[], deps: Deps) => Promise<void>,
): Subscription<Deps> {
  return { event, handle: (tx, events, deps) => handle(tx, events as Received<E>[], deps) };
}

/** As `onBatch`, for an effect that is not urgent. */
export const onGathered = <E extends EventType, Deps>(
  event: E,
  handle: (tx: TenantTx, events: Received<E>[], deps: Deps) => Promise<void>,
): Subscription<Deps> => ({ ...onBatch<E, Deps>(event, handle), isGathered: true });
