import { buffer } from 'node:stream/consumers';
import type { Deps } from '../deps.ts';

/** The bytes of a file, limited when it was fetched; `null` if the object store doesn't return them. */
export async function readObject(
  { objects, log }: Pick<Deps, 'objects' | 'log'>,
  objectKey: string,
): Promise<Buffer<ArrayBuffer> | null> {
  try {
    const body = await objects.get(objectKey);
    return body && (Buffer.from(await buffer(body)) as Buffer<ArrayBuffer>);
  } catch (error) {
    log.warn({ err: error, objectKey }, 'a file of a chat could not be read');
    return null;
  }
}
