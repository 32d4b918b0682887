import type { SignalType } from '@botyard/contracts/events/definition';
import type { z } from 'zod';
import { type Bus, traceHeaders } from './bus.ts';
import { readJson } from './reading/read-json.ts';
import { keepSubscribed } from './subscribing.ts';

/** Sends a hint, which is lost without notice while the bus is down. */
export function signal<S extends SignalType>(bus: Bus, type: S, data: z.input<S['schema']>): void {
  if (!bus.isConnected) return;
  bus.live().connection.publish(bus.names.signal(type), JSON.stringify(type.schema.parse(data)), {
    headers: traceHeaders(),
  });
}

type Handler<S extends SignalType> = (data: z.output<S['schema']>) => void;

/** One instance of the listening service gets each hint. */
export const listen = <S extends SignalType>(bus: Bus, type: S, handler: Handler<S>): void =>
  hear(bus, type, handler, { queue: bus.service });

/** Every instance of the listening service gets each hint. */
export const listenInEveryInstance = <S extends SignalType>(bus: Bus, type: S, handler: Handler<S>): void =>
  hear(bus, type, handler, {});

function hear<S extends SignalType>(
  bus: Bus,
  type: S,
  handler: Handler<S>,
  options: { queue?: string },
): void {
  keepSubscribed(bus, bus.names.signal(type), {
    ...options,
    onMessage: (message) => {
      const parsed = type.schema.safeParse(readJson(message));
      if (parsed.success) handler(parsed.data as z.output<S['schema']>);
    },
  });
}
