import type { DataOf, EventType } from '@botyard/contracts/events/definition';
import { DeliverPolicy } from '@nats-io/jetstream';
import type { Bus } from './bus.ts';
import { readJson } from './reading/read-json.ts';
import { untilSilent, watchersHeartbeatMs } from './reading/silence.ts';

/**
 * Delivers every new event of this type to every instance, so that each can invalidate its cache. Entries of the
 * cache must expire, because events can be missed; `onGap` is called when some may have been. Ends when the bus is
 * closed.
 */
export function watch<E extends EventType>(
  bus: Bus,
  event: E,
  handlers: { onEvent: (data: DataOf<E>) => void; onGap: () => void },
): void {
  const follow = async () => {
    const { jetstream } = bus.live();
    const consumer = await jetstream.consumers.get(bus.names.stream(event.owner), {
      filter_subjects: [bus.names.everyEvent(event)],
      deliver_policy: DeliverPolicy.New,
    });
    const messages = await consumer.consume({
      idle_heartbeat: watchersHeartbeatMs(bus),
      abort_on_missing_resource: true,
      callback: (message) => {
        const parsed = event.schema.safeParse(readJson(message));
        if (parsed.success) handlers.onEvent(parsed.data as DataOf<E>);
      },
    });
    handlers.onGap();
    await untilSilent(bus, messages);
  };
  const keepFollowing = () => {
    follow()
      .catch((error: unknown) => bus.log.debug({ err: error, event: event.name }, 'cannot follow events yet'))
      .finally(() => {
        if (!bus.isClosed) setTimeout(keepFollowing, 250).unref();
      });
  };
  keepFollowing();
}
