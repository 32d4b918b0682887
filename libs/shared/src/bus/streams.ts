import { DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import type { Bus } from './bus.ts';

const hoursToNanos = (hours: number) => hours * 3600 * 1e9;

/** How long JetStream keeps an event, and so how far back the outbox can be needed again. */
export const streamMaxAgeHours = 72;

/**
 * Creates the service's own stream, or brings its settings up to date (reliability, rule 6).
 * @returns when the stream was created: another moment than last time means that NATS lost its store.
 */
export async function ensureStream(bus: Bus): Promise<string> {
  const { manager } = bus.live();
  const config = {
    name: bus.names.stream(bus.service),
    subjects: [bus.names.streamSubjects(bus.service)],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: bus.replicas,
    discard: DiscardPolicy.New,
    max_age: hoursToNanos(streamMaxAgeHours),
    max_bytes: 1024 ** 3,
    duplicate_window: 120 * 1e9,
    allow_msg_ttl: true,
  };
  const exists = await manager.streams.info(config.name).catch(() => undefined);
  const info = exists ? await manager.streams.update(config.name, config) : await manager.streams.add(config);
  return String(info.created);
}
