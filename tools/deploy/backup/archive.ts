import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip, type Gzip } from 'node:zlib';
import { z } from 'zod';

/**
 * Describes the content of an archive. It contains no secrets: the installation's keys are identified by fingerprints.
 */
export const Manifest = z.object({
  kind: z.literal('manifest'),
  format: z.literal(1),
  version: z.string(),
  madeAt: z.iso.datetime(),
  namespace: z.string(),
  /** The names of each service's migrations. */
  migrations: z.record(z.string(), z.array(z.string())),
  keys: z.array(z.string()),
  /** True if the archive contains files. Files in NATS's object store are included, files in S3 are not. */
  hasObjects: z.boolean(),
});
export type Manifest = z.output<typeof Manifest>;

const Part = z.discriminatedUnion('kind', [
  Manifest,
  /** Rows as lists of texts, in column order. */
  z.object({
    kind: z.literal('rows'),
    table: z.string(),
    columns: z.array(z.string()),
    rows: z.array(z.unknown()),
  }),
  z.object({ kind: z.literal('sequence'), name: z.string(), value: z.string(), isCalled: z.boolean() }),
  z.object({ kind: z.literal('object'), key: z.string() }),
  z.object({ kind: z.literal('chunk'), bytes: z.base64() }),
]);
export type Part = z.output<typeof Part>;
const End = z.object({ kind: z.literal('end'), parts: z.number(), sha256: z.string() });

/**
 * Writes compressed lines of JSON. The last line contains the checksum of all others. An archive gets its final name
 * only once it is complete.
 */
export class ArchiveWriter {
  readonly #file: string;
  readonly #gzip: Gzip = createGzip({ level: 4 });
  readonly #hash: Hash = createHash('sha256');
  readonly #written: Promise<void>;
  #parts = 0;

  private constructor(file: string, partial: string) {
    this.#file = file;
    this.#written = pipeline(this.#gzip, createWriteStream(partial, { flags: 'r+' }));
    this.#written.catch(() => undefined);
  }

  /** @throws Error if the file already exists. */
  static async create(file: string): Promise<ArchiveWriter> {
    const existing = await open(file, 'r').catch(() => undefined);
    await existing?.close();
    if (existing) throw new Error(`${file} already exists: name another file`);
    await rm(`${file}.partial`, { force: true });
    await (await open(`${file}.partial`, 'wx', 0o600)).close();
    return new ArchiveWriter(file, `${file}.partial`);
  }

  async add(part: Part): Promise<void> {
    await this.addText(JSON.stringify(part));
  }

  /** Adds a part that is already serialized. */
  async addText(line: string): Promise<void> {
    this.#hash.update(line);
    this.#parts += 1;
    await this.#write(line);
  }

  async finish(): Promise<void> {
    await this.#write(JSON.stringify({ kind: 'end', parts: this.#parts, sha256: this.#hash.digest('hex') }));
    this.#gzip.end();
    await this.#written;
    const file = await open(`${this.#file}.partial`, 'r');
    await file.sync();
    await file.close();
    await rename(`${this.#file}.partial`, this.#file);
  }

  async discard(): Promise<void> {
    this.#gzip.destroy();
    await this.#written.catch(() => undefined);
    await rm(`${this.#file}.partial`, { force: true });
  }

  async #write(line: string): Promise<void> {
    if (!this.#gzip.write(`${line}\n`)) await Promise.race([once(this.#gzip, 'drain'), this.#written]);
  }
}

/** Yields the parts of an archive in order. @throws Error if a part can't be read. */
export async function* readArchive(file: string): AsyncGenerator<Part> {
  for await (const line of linesOf(file)) {
    const part: unknown = JSON.parse(line);
    if (!End.safeParse(part).success) yield Part.parse(part);
  }
}

/** Reads a whole archive before it is used. @throws Error if it is damaged or incomplete. */
export async function checkArchive(file: string): Promise<Manifest> {
  const hash = createHash('sha256');
  let parts = 0;
  let manifest: Manifest | undefined;
  try {
    for await (const line of linesOf(file)) {
      const end = line.startsWith('{"kind":"end"') ? End.parse(JSON.parse(line)) : undefined;
      if (end && manifest && end.parts === parts && end.sha256 === hash.digest('hex')) return manifest;
      if (end) break;
      hash.update(line);
      parts += 1;
      manifest ??= Manifest.parse(JSON.parse(line));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error(`${file} does not exist: check the path`);
    throw new Error(`${file} is damaged or is not a backup of this format: use another backup`, {
      cause: error,
    });
  }
  throw new Error(`${file} is damaged (its checksum is wrong or its end is missing): use another backup`);
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const source = createReadStream(file);
  const unpacked = createGunzip();
  const piped = pipeline(source, unpacked);
  piped.catch(() => undefined);
  yield* createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY });
  await piped;
}
