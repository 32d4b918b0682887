import { isDeepStrictEqual } from 'node:util';
import {
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream';
import type { Bus } from './bus.ts';
import { busVersion, versionMetadata, versionOf } from './bus-version.ts';

const hoursToNanos = (hours: number) => hours * 3600 * 1e9;

/** How long JetStream keeps an event, and so how far back the outbox can be needed again. */
export const streamMaxAgeHours = 72;

/** A change raises the bus version: `npm run generate`. */
export const streamSettings = {
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  discard: DiscardPolicy.New,
  max_age: hoursToNanos(streamMaxAgeHours),
  max_bytes: 1024 ** 3,
  duplicate_window: 120 * 1e9,
  allow_msg_ttl: true,
} as const;

/**
 * Creates the service's own stream, or brings its settings up to date (reliability, rule 6). An older process leaves
 * what a newer one made.
 * @returns what the server says of it: another moment of creation than last time means that NATS lost its store.
 */
export async function ensureStream(bus: Bus, version = busVersion): Promise<StreamInfo> {
  const { manager } = bus.live();
  const name = bus.names.stream(bus.service);
  const config = {
    ...streamSettings,
    name,
    subjects: [bus.names.streamSubjects(bus.service)],
    num_replicas: bus.replicas,
  };
  const metadata = versionMetadata(version);
  const known = await manager.streams.info(name).catch(unlessMissing);
  if (!known) {
    await manager.streams.add({ ...config, metadata });
    // A cluster's answer to `add` tells another moment of a stream that is there already.
    return await manager.streams.info(name);
  }
  const theirs = versionOf(known.config.metadata);
  // Every process asks at every reconnection: a cluster that has just lost a server has no need of vain changes.
  const isUpToDate =
    theirs === version && Object.entries(config).every(([key, value]) => isSame(known, key, value));
  if (theirs > version || isUpToDate) return known;
  return await manager.streams.update(name, { ...config, metadata });
}

/** No answer doesn't mean that there is none: what was sent would be sent again. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof JetStreamApiError && error.status === 404)) throw error;
}

const isSame = ({ config }: StreamInfo, name: string, value: unknown): boolean =>
  isDeepStrictEqual((config as unknown as Record<string, unknown>)[name], value);
