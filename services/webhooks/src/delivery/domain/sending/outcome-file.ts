import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';

/** The outcome of a send that is not in the database yet. */
export const KnownOutcome = z.object({
  kind: z.enum(['part', 'mail']),
  tenantId: z.uuid(),
  /** The identifier of the part or of the mail. */
  id: z.uuid(),
  send: z.number().int().positive(),
  outcome: z.object({
    state: z.enum(['queued', 'sent', 'failed']),
    platformMessageId: z.string().optional(),
    lastError: z.string().optional(),
    isUnclear: z.boolean().optional(),
    isAttempt: z.boolean().optional(),
    waitMs: z.number().optional(),
  }),
});
export type KnownOutcome = z.output<typeof KnownOutcome>;

/** More than a process can have in progress. */
const maxBytes = 4 * 1024 * 1024;
/** A file that wasn't written to for this time is abandoned: its process has ended, on any host. */
const abandonedAfterMs = 60_000;
/** Outcomes that are unknown to the database for a day are removed. */
const keptForMs = 24 * 3600_000;

export interface LeftBehind {
  path: string;
  outcomes: KnownOutcome[];
  isOld: boolean;
}

/**
 * A file with outcomes that this process could not write to the database. It outlives the process: the next one reads
 * it before it sends anything. It contains identifiers, and no text of a message.
 */
export class OutcomeFile {
  readonly #folder: string;
  readonly #host: string;
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string, host = hostname()) {
    this.#folder = folder;
    this.#host = host.replace(/[^\w-]/g, '-');
    this.#path = join(folder, `${this.#host}.${process.pid}.json`);
  }

  /** Replaces the content. Resolves when it is on the disk. Without outcomes the file is removed. */
  write(outcomes: readonly KnownOutcome[]): Promise<void> {
    const content = JSON.stringify(outcomes);
    this.#writing = this.#writing
      .catch(() => undefined)
      .then(() => (outcomes.length === 0 ? rm(this.#path, { force: true }) : this.#replace(content)));
    return this.#writing;
  }

  /**
   * Files of processes that have ended. With `atStart`, a file with this process's own name is also from an earlier
   * process.
   */
  async listLeftBehind({ atStart }: { atStart: boolean }): Promise<LeftBehind[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const found: LeftBehind[] = [];
    for (const name of names.filter((one) => one.endsWith('.json'))) {
      const path = join(this.#folder, name);
      const ageMs = await ageOf(path);
      if (ageMs === undefined || !this.#isLeftBehind(path, { ageMs, atStart })) continue;
      const outcomes = await readOutcomes(path);
      if (outcomes) found.push({ path, outcomes, isOld: ageMs > keptForMs });
      else await rename(path, `${path}.unreadable`).catch(() => undefined);
    }
    return found;
  }

  async remove({ path }: LeftBehind): Promise<void> {
    await rm(path, { force: true });
  }

  async #replace(content: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = `${this.#path}.draft`;
    await withFile(draft, async (file) => {
      await file.writeFile(content);
      await file.datasync();
    });
    await rename(draft, this.#path);
  }

  #isLeftBehind(path: string, { ageMs, atStart }: { ageMs: number; atStart: boolean }): boolean {
    if (path === this.#path) return atStart;
    const [, host, pid] = /^(.+)\.(\d+)\.json$/.exec(basename(path)) ?? [];
    if (host === this.#host && !isAlive(Number(pid))) return true;
    return ageMs > abandonedAfterMs;
  }
}

async function withFile(path: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

const ageOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mtimeMs, size }) => (size > maxBytes ? undefined : Date.now() - mtimeMs),
    () => undefined,
  );

async function readOutcomes(path: string): Promise<KnownOutcome[] | undefined> {
  try {
    return z.array(KnownOutcome).parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
