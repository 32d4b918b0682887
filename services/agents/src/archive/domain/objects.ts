import { Readable } from 'node:stream';
import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import type { FileRow } from '../store/files.ts';
import { type ArchivedLine, type Packed, unpack } from './file-format.ts';

const maxObjectBytes = 64 * 1024 * 1024;

/** Made of internal identifiers only; begins with the tenant. */
export const keyOf = (tenantId: string, fileId: string, version: string): string =>
  `${tenantId}/archive/${fileId}/${version}`;

/** Writes a file's bytes and reads them back. @throws Error when the stored bytes differ; HttpError 503. */
export async function keepBytes(
  objects: ObjectStore,
  key: string,
  packed: Packed,
  messages: number,
): Promise<void> {
  const { bytes, sha256 } = packed;
  await objects.put(key, Readable.from([bytes]), { sizeBytes: bytes.length, sha256 });
  await unpack(await readBytes(objects, key), { sha256, messages });
}

/** The lines of a file. @throws Error with the file's fault; HttpError 503. */
export async function readFile(
  objects: ObjectStore,
  file: Pick<FileRow, 'objectKey' | 'sha256' | 'messages'>,
): Promise<ArchivedLine[]> {
  return await unpack(await readBytes(objects, file.objectKey), file);
}

async function readBytes(objects: ObjectStore, key: string): Promise<Buffer> {
  const stream = await objects.get(key);
  if (!stream) throw new Error('it is not in the object store');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += (chunk as Buffer).length;
    if (size > maxObjectBytes) throw new Error('it is larger than any that was written');
    chunks.push(Buffer.from(chunk as Uint8Array));
  }
  return Buffer.concat(chunks);
}
