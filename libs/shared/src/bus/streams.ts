import { isDeepStrictEqual } from 'node:util';
import {
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream';
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
  const known = await manager.streams.info(config.name).catch(unlessMissing);
  if (!known) await manager.streams.add(config);
  // Every process asks at every reconnection: a cluster that has just lost a server has no need of vain changes.
  else if (!Object.entries(config).every(([name, value]) => isSame(known, name, value)))
    await manager.streams.update(config.name, config);
  // A cluster's answer to `add` tells another moment of a stream that is there already.
  const { created } = known ?? (await manager.streams.info(config.name));
  return String(created);
}

/** No answer doesn't mean that there is none: what was sent would be sent again. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof JetStreamApiError && error.status === 404)) throw error;
}

const isSame = ({ config }: StreamInfo, name: string, value: unknown): boolean =>
  isDeepStrictEqual((config as unknown as Record<string, unknown>)[name], value);
