import { readExcerpt } from '@botyard/shared/files/documents/read-excerpt';
import { Unreadable } from '@botyard/shared/files/documents/sections';
import type { Log } from '@botyard/shared/log/log';
import { Semaphore } from '@botyard/shared/work/semaphore';
import { TaskError } from '@botyard/shared/work/thread-tasks';
import type { AttachmentRow } from '../store/attachments.ts';
import { documentTypeOf } from './media-type.ts';

/** Limit of one PDF, from the start of reading. */
const usualReadingMs = 3000;
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

/** Reads HTML. Resolves with `null` when it takes too long. */
export interface HtmlReader {
  textOfHtml(owner: string, bytes: Uint8Array, signal: AbortSignal): Promise<string | null>;
}

interface DocumentBytes {
  mediaType: string;
  sizeBytes: number;
  /** Returns all of them, or up to `most` from the beginning. */
  bytes(most?: number): Promise<Buffer>;
}

/** A document's text, or the reason why it has none. */
export type ReadText = Pick<AttachmentRow, 'extractedText' | 'textMissing'>;

const withoutText = (textMissing: ReadText['textMissing']): ReadText => ({
  extractedText: null,
  textMissing,
});

/** The text of a file if it is read within a millisecond. Other documents are `waiting`, for `TextExtraction`. */
export async function readAtOnce(file: DocumentBytes): Promise<ReadText> {
  const type = documentTypeOf(file.mediaType);
  if (type === undefined) return withoutText(null);
  if (type === 'pdf' && file.sizeBytes > maxBytes) return withoutText('too_large');
  if (type === 'pdf' || type === 'html') return withoutText('waiting');
  return textOf(new TextDecoder().decode(await file.bytes(maxUnitsOfOne * bytesPerUnit)));
}

/** Cuts the texts of a mail, in their order, to what an event holds. */
export function cutTexts<File extends { extractedText: string | null }>(files: readonly File[]): File[] {
  let left = maxUnitsOfTexts;
  return files.map((file) => {
    const cut = file.extractedText?.slice(0, left).toWellFormed() ?? '';
    left -= cut.length;
    return { ...file, extractedText: cut === '' ? null : cut };
  });
}

/**
 * Reads documents whose reading takes long: HTML in the thread for all texts, PDFs in processes of their own. Tenants
 * take turns, and each has one PDF read at a time, so slow PDFs of one delay another's by at most one of them.
 */
export class TextExtraction {
  readonly #texts: HtmlReader;
  readonly #log: Log;
  readonly #readingMs: number;
  readonly #turns = new Semaphore(maxConcurrent, { maxOfOne: 1 });

  constructor({ texts, log }: { texts: HtmlReader; log: Log }, { readingMs = usualReadingMs } = {}) {
    this.#texts = texts;
    this.#log = log;
    this.#readingMs = readingMs;
  }

  /** Waits for the owner's turn, however long that takes. @throws the signal's reason when it is aborted. */
  async read(owner: string, document: DocumentBytes, signal: AbortSignal): Promise<ReadText> {
    const atOnce = await readAtOnce(document);
    if (atOnce.textMissing !== 'waiting') return atOnce;
    try {
      const isPdf = documentTypeOf(document.mediaType) === 'pdf';
      return isPdf
        ? await this.#turns.run(owner, () => this.#readPdf(document, signal))
        : await this.#readHtml(owner, document, signal);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.#log.info({ err: error, tenantId: owner }, 'a document could not be read');
      const isSlow = error.cause instanceof TaskError && error.cause.fault === 'timeout';
      return withoutText(isSlow ? 'too_slow' : 'unreadable');
    }
  }

  async #readHtml(owner: string, document: DocumentBytes, signal: AbortSignal): Promise<ReadText> {
    const bytes = await document.bytes(maxBytesOfHtml);
    const text = await this.#texts.textOfHtml(owner, bytes, signal);
    signal.throwIfAborted();
    return text === null ? withoutText('unreadable') : textOf(text);
  }

  async #readPdf(document: DocumentBytes, signal: AbortSignal): Promise<ReadText> {
    signal.throwIfAborted();
    const bytes = await document.bytes();
    const limits = { timeoutMs: this.#readingMs, maxMegabytes };
    return textOf(await readExcerpt({ type: 'pdf', bytes, maxUnits: maxUnitsOfOne }, { signal, limits }));
  }
}

/** Removes characters that would each take six in an event. */
function textOf(text: string): ReadText {
  const extractedText = text
    .slice(0, maxUnitsOfOne * 2)
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .trim()
    .slice(0, maxUnitsOfOne)
    .toWellFormed();
  return { extractedText: extractedText === '' ? null : extractedText, textMissing: null };
}
