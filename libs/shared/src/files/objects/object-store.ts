import type { Readable } from 'node:stream';

/** What is known of an object's bytes before they are sent. */
export interface ObjectFacts {
  sizeBytes: number;
  /** Lower-case hexadecimal. */
  sha256: string;
}

/** Where files lie. Keys are made by us of `A-Za-z0-9/_-`, and begin with the tenant. Bytes are streamed, never held whole. */
export interface ObjectStore {
  /** @throws HttpError 503 when the store doesn't answer or is full: then nothing is kept. */
  put(key: string, content: Readable, facts: ObjectFacts): Promise<void>;
  /** `null` when there is nothing by this key. @throws HttpError 503. */
  get(key: string): Promise<Readable | null>;
  /** Also when there is nothing by this key. @throws HttpError 503. */
  remove(key: string): Promise<void>;
  /** Removes what an end of the process in the middle of a `put` has left behind. Returns how much. */
  sweep(): Promise<number>;
}

const keyShape = /^[\w-]{1,64}(?:\/[\w-]{1,64}){1,4}$/;

/** @throws when something that isn't ours has become a part of a key. */
export function checkKey(key: string): void {
  if (!keyShape.test(key)) throw new Error('a key of the object store is not well formed');
}
