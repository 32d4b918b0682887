import type { Readable } from 'node:stream';
import { HttpError, unavailable } from '../../http/errors.ts';

/** Size and hash of an object, known before its bytes are sent. */
export interface ObjectFacts {
  sizeBytes: number;
  /** Lower-case hexadecimal. */
  sha256: string;
}

/**
 * Storage for files. Keys consist of `A-Za-z0-9/_-`, are made by this code, and begin with the tenant. Bytes are
 * streamed and never held in memory as a whole.
 */
export interface ObjectStore {
  /** @throws HttpError 503 if the store doesn't answer or is full; nothing is stored then. */
  put(key: string, content: Readable, facts: ObjectFacts): Promise<void>;
  /** Returns `null` for an unknown key. @throws HttpError 503. */
  get(key: string): Promise<Readable | null>;
  /** Also succeeds for an unknown key. @throws HttpError 503. */
  remove(key: string): Promise<void>;
  /** Removes remains of interrupted `put` calls. Returns their number. */
  sweep(): Promise<number>;
}

const keyShape = /^[\w-]{1,64}(?:\/[\w-]{1,64}){1,4}$/;

/** @throws if a key contains characters that aren't allowed. */
export function checkKey(key: string): void {
  if (!keyShape.test(key)) throw new Error('a key of the object store is not well formed');
}

/** Converts every failure of the store to a 503: the caller can only retry later. */
export async function answered<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw unavailable('the object store does not answer', { cause: error });
  }
}
