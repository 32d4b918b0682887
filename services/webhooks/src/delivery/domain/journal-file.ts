import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { isProcessAlive } from '@botyard/shared/service/process-alive';
import { z } from 'zod';
import { type SendEnd, toPartEnd } from './send-end.ts';

/** How a send ended, as the file keeps it. */
const Entry = z.object({
  kind: z.literal('part'),
  tenantId: z.uuid(),
  /** The part. */
  id: z.uuid(),
  send: z.number().int().positive(),
  outcome: z.object({
    state: z.enum(['queued', 'sent', 'failed']),
    platformMessageId: z.string().optional(),
    lastError: z.string().optional(),
    isUnclear: z.boolean().optional(),
    isAttempt: z.boolean().optional(),
  }),
});

function toEntry(end: SendEnd): z.input<typeof Entry> {
  const { tenantId, partId: id, send, state, isUncertain: isUnclear, isAttempt, ...texts } = toPartEnd(end);
  const platformMessageId = texts.platformMessageId ?? undefined;
  const lastError = texts.lastError ?? undefined;
  const outcome = { state, platformMessageId, lastError, isUnclear, isAttempt };
  return { kind: 'part', tenantId, id, send, outcome };
}

/** Without its chat, whose lease has ended with its process. */
function fromEntry({ tenantId, id: partId, send, outcome }: z.output<typeof Entry>): SendEnd {
  const { state, platformMessageId = null, lastError: reason = null, isUnclear, isAttempt = false } = outcome;
  const ended = { tenantId, partId, send, replyId: null };
  if (state === 'sent') return { ...ended, end: 'sent', platformMessageId };
  const waitMs = state === 'queued' ? 0 : undefined;
  if (isUnclear) return { ...ended, end: 'uncertain', reason, waitMs };
  return { ...ended, end: waitMs === undefined ? 'refused' : 'later', reason, waitMs, isAttempt };
}

/** More than a process can have in progress. */
const maxBytes = 4 * 1024 * 1024;
/** A file that wasn't written to for this time is abandoned: its process has ended, on any host. */
const abandonedAfterMs = 60_000;
/** Outcomes that are unknown to the database for a day are removed. */
const keptForMs = 24 * 3600_000;

export interface LeftBehind {
  path: string;
  ends: SendEnd[];
  isOld: boolean;
}

/**
 * A file with outcomes that this process could not write to the database. It outlives the process: the next one reads
 * it before it sends anything. It contains identifiers, and no text of a message.
 */
export class JournalFile {
  readonly #folder: string;
  readonly #host: string;
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string, host = hostname()) {
    this.#folder = folder;
    this.#host = host.replace(/[^\w-]/g, '-');
    this.#path = join(folder, `${this.#host}.${process.pid}.json`);
  }

  /** Replaces the content. Resolves when it is on the disk. Without ends the file is removed. */
  write(ends: readonly SendEnd[]): Promise<void> {
    const content = JSON.stringify(ends.map(toEntry));
    this.#writing = this.#writing
      .catch(() => undefined)
      .then(() => (ends.length === 0 ? rm(this.#path, { force: true }) : this.#replace(content)));
    return this.#writing;
  }

  /**
   * Files of processes that have ended. With `atStart`, a file with this process's own name is also from an earlier
   * process.
   */
  async listLeftBehind({ atStart }: { atStart: boolean }): Promise<LeftBehind[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const leftBehind: LeftBehind[] = [];
    for (const name of names.filter((one) => one.endsWith('.json'))) {
      const path = join(this.#folder, name);
      const ageMs = await ageOf(path);
      if (ageMs === undefined || !this.#isLeftBehind(path, { ageMs, atStart })) continue;
      const ends = await readEnds(path);
      if (ends) leftBehind.push({ path, ends, isOld: ageMs > keptForMs });
      else await rename(path, `${path}.unreadable`).catch(() => undefined);
    }
    return leftBehind;
  }

  async remove({ path }: LeftBehind): Promise<void> {
    await rm(path, { force: true });
  }

  async #replace(content: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = `${this.#path}.draft`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(content);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(draft, this.#path);
  }

  #isLeftBehind(path: string, { ageMs, atStart }: { ageMs: number; atStart: boolean }): boolean {
    if (path === this.#path) return atStart;
    const [, host, pid] = /^(.+)\.(\d+)\.json$/.exec(basename(path)) ?? [];
    if (host === this.#host && !isProcessAlive(Number(pid))) return true;
    return ageMs > abandonedAfterMs;
  }
}

const ageOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mtimeMs, size }) => (size > maxBytes ? undefined : Date.now() - mtimeMs),
    () => undefined,
  );

async function readEnds(path: string): Promise<SendEnd[] | undefined> {
  try {
    return z
      .array(Entry)
      .parse(JSON.parse(await readFile(path, 'utf8')))
      .map(fromEntry);
  } catch {
    return undefined;
  }
}
