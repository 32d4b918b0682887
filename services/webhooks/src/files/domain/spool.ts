import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { isProcessAlive } from '@botyard/shared/service/process-alive';
import { type ByteOwner, FairBudget, type Holding } from '@botyard/shared/work/fair-budget';

/** A file of a delivery that is being examined. Its bytes no longer have a name on the disk. */
export interface SpooledFile {
  sizeBytes: number;
  sha256: string;
  /** The first bytes: enough to determine the type. */
  head: Buffer;
  read(): Readable;
  /** Returns all of them, or up to `most` from the beginning. */
  bytes(most?: number): Promise<Buffer>;
}

/** The limit on the bytes of all deliveries together, because the disk is shared: half of it is for strangers. */
const maxBytesAtOnce = 1024 ** 3;
/** A delivery has at most 10 files of 25 MB. */
const maxBytesOfOne = 256 * 1024 ** 2;
const headBytes = 4100;
const probeBytes = 4096;
/** Files left by another host are no longer in use after this time. */
const leftBehindMs = 24 * 3600_000;

/**
 * Storage for the files of deliveries until it is decided whether they are kept. A file is unlinked as soon as it is
 * open, so that the system frees it however the delivery, or this process, ends. Files from a crash between the two are
 * removed at the next start.
 */
export class Spool {
  readonly directory: string;
  readonly #own: string;
  readonly #budget: FairBudget;
  #prepared: Promise<void> | undefined;

  /**
   * Processes may share a directory: each has a subdirectory, named by its host and its process id. In containers every
   * process has the id 1.
   */
  constructor(directory: string, maxBytes = maxBytesAtOnce, host = hostname()) {
    this.directory = directory;
    this.#own = join(directory, `${host.replace(/[^\w-]/g, '-')}.${process.pid}`);
    const limits = { maxBytes: maxBytes / 2, maxBytesOfOne: Math.min(maxBytesOfOne, maxBytes / 2) };
    this.#budget = new FairBudget({ strangers: limits, tenants: limits, what: 'files of mails' });
  }

  /** Bytes that are currently stored. */
  get bytesAtOnce(): number {
    return this.#budget.taken;
  }

  /** Removes files of processes that have ended. */
  prepare(): Promise<void> {
    this.#prepared ??= emptied(this.directory, this.#own).catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  /** Writes a small file and removes it. @throws the system's error, when the folder or the disk refuses it. */
  async check(): Promise<void> {
    const handle = await this.#openNameless();
    try {
      await handle.write(Buffer.alloc(probeBytes, 1));
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  async close(): Promise<void> {
    await rm(this.#own, { recursive: true, force: true });
    this.#prepared = undefined;
  }

  /** The files of one delivery. */
  receive(owner: ByteOwner): Reception {
    return new Reception(() => this.#openNameless(), this.#budget.open(owner));
  }

  async #openNameless(): Promise<FileHandle> {
    await this.prepare();
    const path = join(this.#own, randomUUID());
    const handle = await open(path, 'wx+', 0o600);
    try {
      await unlink(path);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}

async function emptied(directory: string, own: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (path === own || (await isLeftBehind(path, own))) await rm(path, { recursive: true, force: true });
  }
  await mkdir(own, { recursive: true, mode: 0o700 });
}

async function isLeftBehind(path: string, own: string): Promise<boolean> {
  const [, host, pid] = /^(.+)\.(\d+)$/.exec(basename(path)) ?? [];
  if (pid === undefined) return false;
  if (basename(own).startsWith(`${host}.`)) return !isProcessAlive(Number(pid));
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
  return Date.now() - mtimeMs > leftBehindMs;
}

/** The files of one delivery, which are removed together. */
export class Reception {
  readonly #open: () => Promise<FileHandle>;
  /** The bytes of the files, on the share of their owner. */
  readonly held: Holding;
  readonly #handles = new Set<FileHandle>();
  #received = 0;
  #isOver = false;

  constructor(openFile: () => Promise<FileHandle>, held: Holding) {
    this.#open = openFile;
    this.held = held;
  }

  /** Bytes of files received so far. */
  get receivedBytes(): number {
    return this.#received;
  }

  /** @throws HttpError 503 when there is no room, and any error of the stream. */
  async keep(stream: AsyncIterable<Buffer>): Promise<SpooledFile> {
    const handle = await this.#open();
    this.#handles.add(handle);
    if (this.#isOver) await this.dispose();
    const hash = createHash('sha256');
    const head: Buffer[] = [];
    let sizeBytes = 0;
    for await (const chunk of stream) {
      if (this.#isOver) throw new Error('the delivery is over');
      await this.held.add(chunk.length);
      this.#received += chunk.length;
      hash.update(chunk);
      if (sizeBytes < headBytes) head.push(chunk.subarray(0, headBytes - sizeBytes));
      await handle.write(chunk, 0, chunk.length, sizeBytes);
      sizeBytes += chunk.length;
    }
    const read = (most = sizeBytes) =>
      Readable.from(chunksOf(handle, Math.min(most, sizeBytes)), { objectMode: false });
    return {
      sizeBytes,
      sha256: hash.digest('hex'),
      head: Buffer.concat(head),
      read: () => read(),
      bytes: async (most) => Buffer.concat((await read(most).toArray()) as Buffer[]),
    };
  }

  /** Removes the delivery's files. May be called more than once. */
  async dispose(): Promise<void> {
    this.#isOver = true;
    const handles = [...this.#handles];
    this.#handles.clear();
    this.held.end();
    await Promise.all(handles.map((handle) => handle.close().catch(() => undefined)));
  }
}

const readBytes = 256 * 1024;

async function* chunksOf(handle: FileHandle, sizeBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < sizeBytes; ) {
    const wanted = Math.min(readBytes, sizeBytes - at);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
    if (bytesRead === 0) throw new Error('a spooled file ended early');
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
