import { isDeepStrictEqual } from 'node:util';
import {
  DiscardPolicy,
  JetStreamApiError,
  PersistMode,
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

const madeAtOnceMs = 1000;

/**
 * Whether two moments of creation are the same stream's. Where two processes made it at once, each server of a cluster
 * tells its own moment.
 */
export const isSameStream = (created: string, other: string): boolean =>
  Math.abs(Date.parse(created) - Date.parse(other)) < madeAtOnceMs;

/**
 * Creates the service's own stream, or brings its settings up to date (REQ-REL-6). An older process leaves
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
    await manager.streams.add({ ...config, metadata, persist_mode: persistModeOf(bus.replicas) });
    // A cluster's answer to `add` tells another moment of a stream that is there already.
    return await manager.streams.info(name);
  }
  if (cannotBeReplicated(known, bus.replicas)) {
    bus.log.warn({ stream: name, replicas: bus.replicas }, 'the stream is made anew, with replicas');
    await manager.streams.delete(name);
    return await ensureStream(bus, version);
  }
  const theirs = versionOf(known.config.metadata);
  // Every process asks at every reconnection: a cluster that has just lost a server has no need of vain changes.
  const isUpToDate =
    theirs === version && Object.entries(config).every(([key, value]) => isSame(known, key, value));
  if (theirs > version || isUpToDate) return known;
  // A stream keeps the mode that it was made with: the server refuses another one.
  const changed = { ...config, metadata, persist_mode: known.config.persist_mode };
  return await manager.streams.update(name, changed);
}

/**
 * A single server confirms an event before it is on its disk: the outbox keeps every event for as long as the stream
 * does, and what a server has lost is sent again (`stream-check.ts`). Replicas confirm to each other, which has no such
 * mode.
 */
const persistModeOf = (replicas: number) => (replicas === 1 ? PersistMode.Async : PersistMode.Default);

/**
 * A cluster refuses replicas for a stream that was made for one server. The outbox fills the new one. On a single
 * server, which belongs to no cluster, the stream stays: there the setting is wrong.
 */
const cannotBeReplicated = ({ config, cluster }: StreamInfo, replicas: number): boolean =>
  replicas > 1 && Boolean(cluster?.name) && config.persist_mode === PersistMode.Async;

/** No answer doesn't mean that there is none: what was sent would be sent again. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof JetStreamApiError && error.status === 404)) throw error;
}

const isSame = ({ config }: StreamInfo, name: string, value: unknown): boolean =>
  isDeepStrictEqual((config as unknown as Record<string, unknown>)[name], value);
