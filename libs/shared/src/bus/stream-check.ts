import { JetStreamApiError } from '@nats-io/jetstream';
import { type Database, withPlatform } from '../db/database.ts';
import type { Bus } from './bus.ts';
import {
  getKnownStream,
  listPublished,
  type Published,
  putKnownStream,
  revive,
  reviveAll,
} from './outbox-rows.ts';
import { ensureStream, isSameStream } from './streams.ts';

interface Checked {
  bus: Bus;
  database: Database;
  schema: string;
}

const pageRows = 2000;
/** Number of the newest events that every check looks up in the stream. */
const sampleSize = 20;
/** Batch size once an event is missing, until a whole batch is found. */
const compareAtOnce = 100;

/**
 * Ensures that the service's own stream exists and compares it with what was published. A stream with another
 * creation time lost everything. A stream was reset, for example from a snapshot, if it ends before the position of a
 * published event or holds another event there. Lost events are sent again; consumers recognize handled ones by their
 * ids.
 * @returns the stream's epoch, which changes once the stream has lost something.
 */
export async function checkStream(parts: Checked): Promise<number> {
  const { bus, database, schema } = parts;
  const { created, state } = await ensureStream(bus);
  const name = bus.names.stream(bus.service);
  const createdAt = String(created);
  const lost = await findLost(parts, state.last_seq);
  return await withPlatform(database, 'stream check', async (tx) => {
    const knownStream = await getKnownStream(tx, schema, name);
    const isAnother = knownStream !== undefined && !isSameStream(knownStream.createdAt, createdAt);
    if (isAnother) await reviveAll(tx, schema);
    else if (lost.length > 0) await revive(tx, schema, lost);
    const hasLost = isAnother || lost.length > 0;
    const next = (knownStream?.epoch ?? 0) + (hasLost ? 1 : 0);
    if (!knownStream || hasLost) await putKnownStream(tx, schema, { name, createdAt, epoch: next });
    if (isAnother)
      bus.log.warn({ stream: name }, 'the stream is a new one: its last 72 hours are sent again');
    else if (hasLost)
      bus.log.warn(
        { stream: name, lastSeq: state.last_seq, events: lost.length },
        'the stream was set back: what it lost is sent again',
      );
    return next;
  });
}

/** Ids of published events that the stream doesn't hold. Compares the outbox from its end until nothing is missing. */
async function findLost(parts: Checked, lastSeq: number): Promise<string[]> {
  const lost: string[] = [];
  let before: string | null = null;
  for (;;) {
    const page: Published[] = await listPublished(parts.database, parts.schema, { before, limit: pageRows });
    const beyond = page.filter(({ seq }) => seq > lastSeq);
    const within = page.filter(({ seq }) => seq <= lastSeq).sort((left, right) => right.seq - left.seq);
    const overwritten = await findOverwritten(parts.bus, within, beyond.length + lost.length > 0);
    lost.push(...[...beyond, ...overwritten].map(({ id }) => id));
    if (page.length < pageRows || beyond.length + overwritten.length === 0) return lost;
    before = page.at(-1)?.id ?? null;
  }
}

/**
 * Compares the newest events with the stream. If one is missing, further ones are compared until a whole batch is
 * found.
 */
async function findOverwritten(
  bus: Bus,
  newestFirst: readonly Published[],
  isSuspect: boolean,
): Promise<Published[]> {
  const overwritten: Published[] = [];
  let from = 0;
  for (let size = isSuspect ? compareAtOnce : sampleSize; from < newestFirst.length; size = compareAtOnce) {
    const batch = newestFirst.slice(from, from + size);
    const isOther = await Promise.all(batch.map((published) => holdsAnother(bus, published)));
    const overwrittenInBatch = batch.filter((_, index) => isOther[index]);
    overwritten.push(...overwrittenInBatch);
    if (overwrittenInBatch.length === 0) break;
    from += size;
  }
  return overwritten;
}

/** Whether the stream holds another event at this position. An empty position means that the event was erased. */
async function holdsAnother(bus: Bus, { id, seq }: Published): Promise<boolean> {
  try {
    const message = await bus.live().manager.streams.getMessage(bus.names.stream(bus.service), { seq });
    return message !== null && message.header.get('Nats-Msg-Id') !== id;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === 404) return false;
    throw error;
  }
}
