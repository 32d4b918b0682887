import { readExcerpt } from '@botyard/shared/files/documents/read-excerpt';
import { Unreadable } from '@botyard/shared/files/documents/sections';
import type { Log } from '@botyard/shared/log/log';
import { type Release, Semaphore } from '@botyard/shared/work/semaphore';
import type { Deps } from '../../deps.ts';
import { documentTypeOf } from './media-type.ts';
import type { SpooledFile } from './spool.ts';

/**
 * Limit of one PDF, from the start of reading, and the latest start of the last PDF of a mail. Together they are less
 * than the 10 s that the gateway waits for the answer to the mailer.
 */
const usualTimes = { readingMs: 3000, startWithinMs: 6000 };
/** PDFs that are read at a time, each within this memory. */
const maxConcurrent = 2;
const maxMegabytes = 128;
const maxBytes = 8 * 1024 * 1024;
/** For HTML: only a part of it is text. */
const maxBytesOfHtml = 1024 * 1024;
/** Limit for all files of a mail together: an event must stay far below 1 MB. */
const maxUnitsOfTexts = 60_000;
const maxUnitsOfOne = 24_000;

const bytesPerUnit = 4;

interface Reading {
  owner: string;
  /** By `performance.now()`. No PDF begins to be read afterwards. */
  startUntil: number;
  /** Limits the reading of all files together. */
  signal: AbortSignal;
}

/**
 * Extracts the text of files. HTML is read in the thread for all texts. PDFs are read in processes of their own.
 * Tenants take turns, and each has one PDF read at a time, so slow PDFs of one delay another's by at most one of them.
 */
export class TextExtraction {
  readonly #texts: Pick<Deps['texts'], 'textOfHtml'>;
  readonly #log: Log;
  readonly #times: typeof usualTimes;
  readonly #turns = new Semaphore(maxConcurrent, { maxOfOne: 1 });

  constructor(
    { texts, log }: { texts: Pick<Deps['texts'], 'textOfHtml'>; log: Log },
    times: Partial<typeof usualTimes> = {},
  ) {
    this.#texts = texts;
    this.#log = log;
    this.#times = { ...usualTimes, ...times };
  }

  /** Returns the text of each file, shortened; `null` for a file that can't be read, or not in time. */
  async read(
    owner: string,
    files: readonly { file: SpooledFile; mediaType: string }[],
  ): Promise<(string | null)[]> {
    const { readingMs, startWithinMs } = this.#times;
    const signal = AbortSignal.timeout(startWithinMs + readingMs);
    const reading = { owner, startUntil: performance.now() + startWithinMs, signal };
    const texts: (string | null)[] = [];
    let left = maxUnitsOfTexts;
    for (const { file, mediaType } of files) {
      const text = left > 0 ? await this.#readOne(reading, file, mediaType) : null;
      const cut = text?.slice(0, Math.min(left, maxUnitsOfOne)).toWellFormed() ?? null;
      left -= cut?.length ?? 0;
      texts.push(cut === '' ? null : cut);
    }
    return texts;
  }

  async #readOne(reading: Reading, file: SpooledFile, mediaType: string): Promise<string | null> {
    const type = documentTypeOf(mediaType);
    if (type === undefined) return null;
    if (type === 'pdf') return await this.#readPdf(reading, file);
    if (type === 'html') {
      const { owner, signal } = reading;
      const text = await this.#texts.textOfHtml(owner, await file.bytes(maxBytesOfHtml), signal);
      return text === null ? null : readable(text);
    }
    return readable(new TextDecoder().decode(await file.bytes(maxUnitsOfOne * bytesPerUnit)));
  }

  async #readPdf({ owner, startUntil }: Reading, file: SpooledFile): Promise<string | null> {
    if (file.sizeBytes > maxBytes) return null;
    const release = await this.#waitForTurn(owner, startUntil);
    if (!release) return null;
    try {
      const document = { type: 'pdf', bytes: await file.bytes(), maxUnits: maxUnitsOfOne } as const;
      return readable(await this.#readWithin(document));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.#log.info({ err: error, tenantId: owner }, 'a PDF could not be read');
      return null;
    } finally {
      release();
    }
  }

  async #waitForTurn(owner: string, startUntil: number): Promise<Release | null> {
    try {
      return await this.#turns.acquire(owner, Math.max(0, startUntil - performance.now()));
    } catch (error) {
      this.#log.warn({ err: error, tenantId: owner }, 'a PDF was not read: its turn did not come in time');
      return null;
    }
  }

  /** @throws Unreadable, also when it takes too long. */
  async #readWithin(document: { type: 'pdf'; bytes: Buffer; maxUnits: number }): Promise<string> {
    const { readingMs } = this.#times;
    const signal = AbortSignal.timeout(readingMs);
    try {
      return await readExcerpt(document, { signal, limits: { timeoutMs: readingMs, maxMegabytes } });
    } catch (error) {
      throw signal.aborted ? new Unreadable('The document takes too long to be read.') : error;
    }
  }
}

/** Removes characters that would each take six in an event. */
const readable = (text: string): string =>
  text
    .slice(0, maxUnitsOfOne * 2)
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .trim();
