import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip, type Gzip } from 'node:zlib';
import { z } from 'zod';

/**
 * Description of an archive's content. It has no secrets; a key of the installation is identified by its fingerprint.
 */
export const Manifest = z.object({
  kind: z.literal('manifest'),
  format: z.literal(1),
  version: z.string(),
  madeAt: z.iso.datetime(),
  namespace: z.string(),
  /** Names of each service's migrations. */
  migrations: z.record(z.string(), z.array(z.string())),
  keys: z.array(z.string()),
  /** Whether it contains files: those of NATS's object store are included, those of an S3 are not. */
  hasObjects: z.boolean(),
});
export type Manifest = z.output<typeof Manifest>;

const Part = z.discriminatedUnion('kind', [
  Manifest,
  /** Rows as lists of texts, in the order of the columns. */
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

/** Writes compressed lines of JSON, the last with the checksum of all others. Only a finished archive gets its name. */
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

  /** @throws Error when the file exists. */
  static async create(file: string): Promise<ArchiveWriter> {
    const existing = await open(file, 'r').catch(() => undefined);
    await existing?.close();
    if (existing) throw new Error(`${file} exists: name another file`);
    await rm(`${file}.partial`, { force: true });
    await (await open(`${file}.partial`, 'wx', 0o600)).close();
    return new ArchiveWriter(file, `${file}.partial`);
  }

  async add(part: Part): Promise<void> {
    await this.addText(JSON.stringify(part));
  }

  /** A part that is JSON already. */
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

/** The parts of an archive, one after another. @throws Error for an unreadable one. */
export async function* readArchive(file: string): AsyncGenerator<Part> {
  for await (const line of linesOf(file)) {
    const part: unknown = JSON.parse(line);
    if (!End.safeParse(part).success) yield Part.parse(part);
  }
}

/** Reads all of an archive before it is used. @throws Error when it is damaged or incomplete. */
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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Error(`${file} is not there`);
    throw new Error(`${file} is damaged, or no backup of this format`, { cause: error });
  }
  throw new Error(`${file} is damaged: its checksum is wrong or its end is missing`);
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const source = createReadStream(file);
  const unpacked = createGunzip();
  const piped = pipeline(source, unpacked);
  piped.catch(() => undefined);
  yield* createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY });
  await piped;
}
