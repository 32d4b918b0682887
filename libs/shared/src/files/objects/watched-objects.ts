import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bus } from '../../bus/bus.ts';
import { withoutSecrets } from '../../log/without-secrets.ts';
import type { ObjectStore } from './object-store.ts';

const part = 'object store';
const tryAgainMs = 1000;
/** Size limit of a trial object, which is otherwise as large as the refused one. */
const maxTrialBytes = 1024 * 1024;

/**
 * Reports a store that accepts no objects. After a refusal, a trial object is written each second until the store
 * accepts it, because a tenant's next file may come much later.
 */
export function watchedObjects(store: ObjectStore, bus: Bus): ObjectStore {
  let isTrying = false;
  const tryAgain = async (bytes: number) => {
    if (isTrying) return;
    isTrying = true;
    await tryUntilTaken(store, bus, bytes);
    isTrying = false;
  };
  return {
    ...store,
    put: async (key, content, facts) => {
      try {
        await store.put(key, content, facts);
      } catch (error) {
        void tryAgain(facts.sizeBytes);
        throw error;
      }
    },
  };
}

async function tryUntilTaken(store: ObjectStore, bus: Bus, refusedBytes: number): Promise<void> {
  const bytes = Buffer.alloc(Math.min(refusedBytes, maxTrialBytes));
  const facts = { sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  const key = `trial/${bus.service}-${process.pid}`;
  while (!bus.isClosed) {
    try {
      await store.put(key, Readable.from([bytes]), facts);
      await store.remove(key);
      return bus.stalls.recovered(part);
    } catch (error) {
      bus.stalls.failed(part, {
        reason: `no file can be kept: ${withoutSecrets(reasonOf(error))}`,
        remedy:
          'Make room in the object store (OBJECT_STORE_MAX_MEGABYTES for that of NATS), or look at OBJECT_STORE_URL.',
        error,
      });
      await pause(tryAgainMs, undefined, { ref: false });
    }
  }
}

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
};
