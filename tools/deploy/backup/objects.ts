import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { createNames } from '@botyard/shared/bus/names';
import { certificateFault, natsSettings } from '@botyard/shared/config/certificate-fault';
import { listObjects, readChunks } from '@botyard/shared/files/objects/stored-objects';
import { JetStreamApiError, jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { Objm } from '@nats-io/obj';
import { connect } from '@nats-io/transport-node';
import type { Secrets } from '../../launcher/settings/secrets.ts';
import type { ArchiveWriter } from './archive.ts';

const chunkBytes = 256 * 1024;

interface NatsPlace {
  url: string;
  caFile?: string | undefined;
  namespace: string;
  /** The size of the bucket if it has to be created. */
  maxBytes: number;
  replicas: number;
}

/** NATS with an admin's login: the file bucket and the event streams. */
export class NatsStore {
  readonly #place: NatsPlace;
  readonly #connection: Awaited<ReturnType<typeof connect>>;
  readonly #names: ReturnType<typeof createNames>;

  private constructor(place: NatsPlace, connection: Awaited<ReturnType<typeof connect>>) {
    this.#place = place;
    this.#connection = connection;
    this.#names = createNames(place.namespace);
  }

  /** @throws Error with the reason in one line if there is no connection. */
  static async open(place: NatsPlace, { nats }: Secrets): Promise<NatsStore> {
    const servers = place.url.split(',').map((server) => server.trim());
    const isEncrypted = place.caFile !== undefined || servers.some((server) => server.startsWith('tls:'));
    const tls = isEncrypted ? { tls: place.caFile ? { caFile: place.caFile } : {} } : {};
    const login = { user: 'admin', pass: nats.admin ?? '' };
    try {
      const connection = await connect({ servers, ...login, ...tls, reconnect: false, timeout: 5000 });
      return new NatsStore(place, connection);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(certificateFault(error, natsSettings) ?? `NATS_URL: can't connect: ${reason}`, {
        cause: error,
      });
    }
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** Writes every file in chunks. A file that is removed in the meantime is omitted. */
  async dump(archive: ArchiveWriter): Promise<number> {
    const bucket = await this.#bucket();
    let files = 0;
    for await (const { name } of listObjects(this.#connection, this.#names.bucket)) {
      const info = await bucket.info(name);
      if (!info || info.deleted) continue;
      await archive.add({ kind: 'object', key: name });
      for await (const bytes of readChunks(this.#connection, this.#names.bucket, info))
        await archive.add({ kind: 'chunk', bytes: Buffer.from(bytes).toString('base64') });
      files += 1;
    }
    return files;
  }

  /** Stores a file under its key. An existing file is not replaced if `keeps` returns true for its key. */
  async put(key: string, content: AsyncIterable<Buffer>, keeps: (key: string) => boolean): Promise<void> {
    const bucket = await this.#bucket();
    if (keeps(key) && (await bucket.info(key))) {
      for await (const _ of content);
      return;
    }
    const chunks = Readable.toWeb(Readable.from(content)) as unknown as WebStream<Uint8Array>;
    await bucket.put({ name: key, options: { max_chunk_size: chunkBytes } }, chunks as never);
  }

  /** Returns the names of this installation's existing event streams. */
  async streams(services: readonly string[]): Promise<string[]> {
    const manager = await this.#manager();
    const names = services.map((service) => this.#names.stream(service));
    const exist = await Promise.all(
      names.map((name) =>
        manager.streams.info(name).then(
          () => true,
          (error: unknown) => {
            if (error instanceof JetStreamApiError && error.status === 404) return false;
            throw error;
          },
        ),
      ),
    );
    return names.filter((_, index) => exist[index]);
  }

  async removeStreams(names: readonly string[]): Promise<void> {
    const manager = await this.#manager();
    for (const name of names) await manager.streams.delete(name);
  }

  #manager() {
    return jetstreamManager(this.#connection, { checkAPI: false });
  }

  async #bucket() {
    const { maxBytes, replicas } = this.#place;
    const options = { storage: StorageType.File, max_bytes: maxBytes, replicas };
    return await new Objm(jetstream(this.#connection)).create(this.#names.bucket, options);
  }
}
