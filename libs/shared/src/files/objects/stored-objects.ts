import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ObjectInfo } from '@nats-io/obj';
import type { NatsConnection } from '@nats-io/transport-node';
import { parseForeignJson } from '../../json/parse-json.ts';

/** At most 4 MB in memory for an object that is read. */
const chunksPerPage = 16;
const objectsPerPage = 256;
/** A server of a cluster may answer that has not received the last chunks yet. */
const maxTries = 20;
const tryAgainMs = 100;
const pageTimeoutMs = 5000;
/** Statuses of the last response. */
const [noResults, endOfBatch] = [404, 204];

const streamOf = (bucket: string): string => `OBJ_${bucket}`;
export const chunkSubject = (bucket: string, nuid: string): string => `$O.${bucket}.C.${nuid}`;

/**
 * Yields an object's chunks. The library reads with a consumer that delivers to an inbox; the store's account delivers
 * nothing to a login's account (`bus/accounts.ts`), so the chunks are requested here.
 * @throws Error when a chunk is missing, or when the bytes aren't those that were written.
 */
export async function* readChunks(
  connection: NatsConnection,
  bucket: string,
  info: Pick<ObjectInfo, 'nuid' | 'chunks' | 'digest'>,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  const subject = chunkSubject(bucket, info.nuid);
  let [seq, count, tries] = [1, 0, 0];
  while (count < info.chunks) {
    const page = await pageOf(connection, bucket, { seq, subject, size: chunksPerPage });
    for (const { data } of page) {
      hash.update(data);
      yield data;
    }
    count += page.length;
    seq = (page.at(-1)?.seq ?? seq - 1) + 1;
    if (page.length > 0) continue;
    tries += 1;
    if (tries > maxTries)
      throw new Error(`an object lacks ${info.chunks - count} of its ${info.chunks} chunks`);
    await pause(tryAgainMs);
  }
  const digest = `SHA-256=${hash.digest('base64').replaceAll('+', '-').replaceAll('/', '_')}`;
  if (digest !== info.digest) throw new Error('an object is not what was written');
}

/** All finished objects. */
export async function* listObjects(connection: NatsConnection, bucket: string): AsyncGenerator<ObjectInfo> {
  const subject = `$O.${bucket}.M.>`;
  for (let seq = 1; ; ) {
    const page = await pageOf(connection, bucket, { seq, subject, size: objectsPerPage });
    for (const message of page) {
      const info = parseForeignJson(message.data) as ObjectInfo;
      if (!info.deleted) yield info;
    }
    const last = page.at(-1);
    if (!last) return;
    seq = last.seq + 1;
  }
}

interface StoredMessage {
  seq: number;
  data: Uint8Array;
}

/**
 * The first stored messages of a subject from a position on. The library's own request leaves a subscription behind for
 * each page.
 * @throws Error when the server refuses it or doesn't answer.
 */
async function pageOf(
  connection: NatsConnection,
  bucket: string,
  { seq, subject, size }: { seq: number; subject: string; size: number },
): Promise<StoredMessage[]> {
  const page: StoredMessage[] = [];
  const query = JSON.stringify({ seq, next_by_subj: subject, batch: size });
  // The last response has no content; its status says why it is the last.
  const options = { strategy: 'sentinel', maxWait: pageTimeoutMs } as const;
  const request = await connection.requestMany(`$JS.API.DIRECT.GET.${streamOf(bucket)}`, query, options);
  for await (const { data, headers } of request) {
    const status = headers?.code ?? 0;
    if (status !== 0 && status !== noResults && status !== endOfBatch)
      throw new Error(`NATS answers ${status} ${headers?.description ?? ''}`);
    if (status === 0) page.push({ data, seq: Number(headers?.get('Nats-Sequence')) });
  }
  return page;
}
