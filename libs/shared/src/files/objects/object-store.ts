import type { Readable } from 'node:stream';
import { HttpError, unavailable } from '../../http/errors.ts';

/** Size and hash of an object, known before its bytes are sent. */
export interface ObjectFacts {
  sizeBytes: number;
  /** Lower-case hexadecimal. */
  sha256: string;
}

/**
 * Storage for files. Keys are made by us of `A-Za-z0-9/_-`, and begin with the tenant. Bytes are streamed, never held
 * whole.
 */
export interface ObjectStore {
  /** @throws HttpError 503 when the store doesn't answer or is full; nothing is kept then. */
  put(key: string, content: Readable, facts: ObjectFacts): Promise<void>;
  /** `null` for an unknown key. @throws HttpError 503. */
  get(key: string): Promise<Readable | null>;
  /** Succeeds for an unknown key, too. @throws HttpError 503. */
  remove(key: string): Promise<void>;
  /** Removes remains of interrupted `put` calls. Returns their number. */
  sweep(): Promise<number>;
}

const keyShape = /^[\w-]{1,64}(?:\/[\w-]{1,64}){1,4}$/;

/** @throws when a key contains foreign text. */
export function checkKey(key: string): void {
  if (!keyShape.test(key)) throw new Error('a key of the object store is not well formed');
}

/** Every failure of the store becomes a 503: the caller can only try again later. */
export async function answered<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw unavailable('the object store does not answer', { cause: error });
  }
}
