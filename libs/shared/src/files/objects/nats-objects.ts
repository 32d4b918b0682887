import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { type JetStreamManager, StorageType } from '@nats-io/jetstream';
import type { ObjectStore as Bucket } from '@nats-io/obj';
import type { Bus, Live } from '../../bus/bus.ts';
import { HttpError, unavailable } from '../../http/errors.ts';
import { checkKey, type ObjectStore } from './object-store.ts';

const chunkBytes = 256 * 1024;
/** A `put` lasts no longer; chunks of an older one that never came to its end belong to nobody. */
const putEndsAfterMs = 10 * 60_000;
const wholeStream = 100_000;

/**
 * The object store of JetStream: a bucket of the installation, in files. An object is chunks and a last message that tells of
 * them, so that one which wasn't written to its end is not seen. The library is loaded with the first object.
 */
export function createNatsObjects(bus: Bus, { maxBytes }: { maxBytes: number }): ObjectStore {
  const { bucket: name } = bus.names;
  const stream = `OBJ_${name}`;
  let opened: { live: Live; bucket: Promise<Bucket> } | undefined;

  const open = (): Promise<Bucket> => {
    const live = bus.live();
    if (opened?.live !== live) {
      opened = { live, bucket: openBucket(live, { name, maxBytes, replicas: bus.replicas }) };
      // One that failed is opened anew.
      opened.bucket.catch(() => {
        opened = undefined;
      });
    }
    return opened.bucket;
  };

  /** After a failure the bucket is opened anew: an operator may have deleted its stream. */
  const openedAnew = (error: unknown): never => {
    opened = undefined;
    throw error;
  };

  return {
    put: (key, content) =>
      answered(async () => {
        checkKey(key);
        const bucket = await open();
        const chunks = Readable.toWeb(content) as unknown as WebStream<Uint8Array>;
        await bucket
          .put({ name: key, options: { max_chunk_size: chunkBytes } }, chunks as never)
          .catch(openedAnew);
      }),
    get: (key) =>
      answered(async () => {
        checkKey(key);
        const found = await (await open()).get(key).catch(openedAnew);
        if (!found) return null;
        // The stream fails for the same reason.
        found.error.catch(() => undefined);
        return Readable.fromWeb(found.data as unknown as WebStream<Uint8Array>);
      }),
    remove: (key) =>
      answered(async () => {
        checkKey(key);
        const bucket = await open();
        const { success } = await bucket.delete(key);
        // What is left of it would tell that it was there.
        if (success) await bus.live().manager.streams.purge(stream, { filter: aboutSubject(name, key) });
      }),
    sweep: () =>
      answered(async () => {
        const bucket = await open();
        return await removeUnfinished(bus.live().manager, { stream, name, bucket });
      }),
  };
}

const aboutSubject = (bucket: string, key: string): string => {
  const encoded = Buffer.from(key).toString('base64url');
  return `$O.${bucket}.M.${encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=')}`;
};

async function openBucket(
  { jetstream }: Live,
  { name, maxBytes, replicas }: { name: string; maxBytes: number; replicas: number },
): Promise<Bucket> {
  const { Objm } = await import('@nats-io/obj');
  const options = { storage: StorageType.File, max_bytes: maxBytes, replicas };
  return await new Objm(jetstream).create(name, options);
}

/** Chunks that no object tells of, when they are old enough. */
async function removeUnfinished(
  manager: JetStreamManager,
  { stream, name, bucket }: { stream: string; name: string; bucket: Bucket },
): Promise<number> {
  const chunks = `$O.${name}.C.`;
  // Before the objects are listed: one that is finished in between is among them.
  const { state } = await manager.streams.info(stream, { subjects_filter: `${chunks}>` });
  const subjects = Object.keys(state.subjects ?? {}).slice(0, wholeStream);
  const finished = new Set((await bucket.list()).map(({ nuid }) => `${chunks}${nuid}`));
  let removed = 0;
  for (const subject of subjects.filter((one) => !finished.has(one))) {
    const last = await manager.streams.getMessage(stream, { last_by_subj: subject });
    if (!last || Date.now() - last.time.getTime() < putEndsAfterMs) continue;
    await manager.streams.purge(stream, { filter: subject });
    removed += 1;
  }
  return removed;
}

/** Whatever the bus says, the caller can only come back later. */
async function answered<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw unavailable('the object store does not answer', { cause: error });
  }
}
