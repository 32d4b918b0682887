import type { DataOf, EventType } from '@botyard/contracts/events/definition';
import type { TenantTx } from '../db/database.ts';

/** An event as its handler receives it. */
export interface Received<E extends EventType = EventType> {
  id: string;
  data: DataOf<E>;
  traceparent: string | undefined;
}

/**
 * Selects the events that are to be handled. Its statements run beside the inbox's, so that they cost no extra round
 * trip.
 */
export interface Sift {
  find(tx: TenantTx, events: readonly Received[]): Promise<(event: Received) => boolean>;
  /** Fails the transaction unless all events are wanted. */
  requireAll(tx: TenantTx, events: readonly Received[]): Promise<void>;
}

/** An entry of a service's table of consumers. The handler's effect commits together with the mark in the inbox. */
export interface Subscription<Deps> {
  event: EventType;
  handle(tx: TenantTx, events: Received[], deps: Deps): Promise<void>;
  sift?: Sift;
  /**
   * For events of every message: the effect is sent to the database without first checking that the events are new
   * and wanted. If they are not, the transaction is rolled back and they are handled again with the check. So the
   * handler may change nothing outside its transaction.
   */
  expectsNew?: boolean;
  /** The effect is not urgent: events are collected for a moment, so that many share a transaction. */
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

/** Like `onBatch`, for an effect that is not urgent. */
export const onGathered = <E extends EventType, Deps>(
  event: E,
  handle: (tx: TenantTx, events: Received<E>[], deps: Deps) => Promise<void>,
): Subscription<Deps> => ({ ...onBatch<E, Deps>(event, handle), isGathered: true });
