import type { DataOf, EventType } from '@botyard/contracts/events/definition';
import type { Bus } from './bus.ts';
import { readJson } from './reading/read-json.ts';
import { keepSubscribed } from './subscribing.ts';

/**
 * Delivers every new event of this type to every instance, so that each can invalidate its cache. It hears events as
 * their owner publishes them, which needs no consumer of the stream; an event may arrive twice. Entries of the cache
 * must expire, because events can be missed; `onGap` is called when some may have been: at the start and after each
 * reconnection. Ends when the bus is closed.
 */
export function watch<E extends EventType>(
  bus: Bus,
  event: E,
  handlers: { onEvent: (data: DataOf<E>) => void; onGap: () => void },
): void {
  let isSubscribed = false;
  bus.onConnect(() => {
    if (isSubscribed) return handlers.onGap();
    isSubscribed = true;
    keepSubscribed(bus, bus.names.everyEvent(event), {
      onMessage: (message) => {
        const parsed = event.schema.safeParse(readJson(message));
        if (parsed.success) handlers.onEvent(parsed.data as DataOf<E>);
      },
      onSubscribed: handlers.onGap,
    });
  });
}
