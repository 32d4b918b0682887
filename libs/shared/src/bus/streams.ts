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

/** How long JetStream keeps an event, and so how far back the outbox may have to send events again. */
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
 * Whether two creation times belong to the same stream. If two processes created it simultaneously, each server of a
 * cluster reports its own time.
 */
export const isSameStream = (created: string, other: string): boolean =>
  Math.abs(Date.parse(created) - Date.parse(other)) < madeAtOnceMs;

/**
 * Creates the service's own stream, or updates its settings (REQ-REL-6). An older process doesn't change what a newer
 * one created.
 * @returns the server's information; a changed creation time means that NATS lost its store.
 */
export async function ensureStream(bus: Bus, version = busVersion): Promise<StreamInfo> {
  const { manager } = bus.live();
  const name = bus.names.stream(bus.service);
  const config = {
    ...streamSettings,
    name,
    subjects: [bus.names.streamSubjects(bus.service)],
    // With its position in the stream, for `EventTail`.
    republish: {
      src: bus.names.streamSubjects(bus.service),
      dest: bus.names.republishedSubjects(bus.service),
    },
    num_replicas: bus.replicas,
  };
  const metadata = versionMetadata(version);
  const existingStream = await manager.streams.info(name).catch(unlessMissing);
  if (!existingStream) {
    await manager.streams.add({ ...config, metadata, persist_mode: persistModeOf(bus.replicas) });
    // A cluster's response to `add` has a wrong creation time if the stream exists already.
    return await manager.streams.info(name);
  }
  if (cannotBeReplicated(existingStream, bus.replicas)) {
    bus.log.warn({ stream: name, replicas: bus.replicas }, 'the stream is made anew, with replicas');
    await manager.streams.delete(name);
    return await ensureStream(bus, version);
  }
  const theirs = versionOf(existingStream.config.metadata);
  // Every process checks this after each reconnection: a cluster that has just lost a server must not get needless
  // updates.
  const isUpToDate =
    theirs === version && Object.entries(config).every(([key, value]) => isSame(existingStream, key, value));
  if (theirs > version || isUpToDate) return existingStream;
  // A stream keeps its original mode: the server refuses to change it.
  const changed = { ...config, metadata, persist_mode: existingStream.config.persist_mode };
  return await manager.streams.update(name, changed);
}

/**
 * A single server confirms an event before it is on disk. That is safe because the outbox keeps every event for as
 * long as the stream does and sends again what a server has lost (`stream-check.ts`). Replicated streams have no such
 * mode.
 */
const persistModeOf = (replicas: number) => (replicas === 1 ? PersistMode.Async : PersistMode.Default);

/**
 * A cluster refuses replicas for a stream that was created on a single server. It is replaced, and the outbox fills
 * the new one. On a server outside of a cluster the stream stays, because there the setting is wrong.
 */
const cannotBeReplicated = ({ config, cluster }: StreamInfo, replicas: number): boolean =>
  replicas > 1 && Boolean(cluster?.name) && config.persist_mode === PersistMode.Async;

/** A missing answer doesn't mean that the stream is missing: events would be sent twice. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof JetStreamApiError && error.status === 404)) throw error;
}

const isSame = ({ config }: StreamInfo, name: string, value: unknown): boolean =>
  isDeepStrictEqual((config as unknown as Record<string, unknown>)[name], value);
