import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { StorageType } from '@nats-io/jetstream';
import type { ObjectStore as Bucket } from '@nats-io/obj';
import type { Bus, Live } from '../../bus/bus.ts';
import { answered, checkKey, type ObjectStore } from './object-store.ts';
import { chunkSubject, listObjects, readChunks } from './stored-objects.ts';

const chunkBytes = 256 * 1024;
/** Limit of a `put`; older chunks without an object are orphans. */
const putEndsAfterMs = 10 * 60_000;
const wholeStream = 100_000;

/**
 * The object store of JetStream: one bucket per installation, on disk. An object is chunks and a final message that
 * lists them, so unfinished objects are invisible. The library is loaded with the first object.
 */
export function createNatsObjects(bus: Bus, { maxBytes }: { maxBytes: number }): ObjectStore {
  const { bucket: name } = bus.names;
  const stream = `OBJ_${name}`;
  let opened: { live: Live; bucket: Promise<Bucket> } | undefined;

  const open = (): Promise<Bucket> => {
    const live = bus.live();
    if (opened?.live !== live) {
      opened = { live, bucket: openBucket(live, { name, maxBytes, replicas: bus.replicas }) };
      // A failed attempt is repeated by the next caller.
      opened.bucket.catch(() => {
        opened = undefined;
      });
    }
    return opened.bucket;
  };

  /** After a failure the bucket is opened again: an operator may have deleted its stream. */
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
        const info = await (await open()).info(key).catch(openedAnew);
        if (!info || info.deleted) return null;
        return Readable.from(readChunks(bus.live().connection, name, info), { objectMode: false });
      }),
    remove: (key) =>
      answered(async () => {
        checkKey(key);
        const bucket = await open();
        const { success } = await bucket.delete(key);
        // The remaining message would reveal that the object existed.
        if (success) await bus.live().manager.streams.purge(stream, { filter: aboutSubject(name, key) });
      }),
    sweep: () =>
      answered(async () => {
        await open();
        return await removeUnfinished(bus.live(), { stream, name });
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

/** Orphaned chunks that are old enough. */
async function removeUnfinished(
  { connection, manager }: Live,
  { stream, name }: { stream: string; name: string },
): Promise<number> {
  const chunks = `$O.${name}.C.`;
  // Read before the objects are listed, so that the list contains an object that is finished in between.
  const { state } = await manager.streams.info(stream, { subjects_filter: `${chunks}>` });
  const subjects = Object.keys(state.subjects ?? {}).slice(0, wholeStream);
  const finished = new Set<string>();
  for await (const { nuid } of listObjects(connection, name)) finished.add(chunkSubject(name, nuid));
  let removed = 0;
  for (const subject of subjects.filter((one) => !finished.has(one))) {
    const last = await manager.streams.getMessage(stream, { last_by_subj: subject });
    if (!last || Date.now() - last.time.getTime() < putEndsAfterMs) continue;
    await manager.streams.purge(stream, { filter: subject });
    removed += 1;
  }
  return removed;
}
