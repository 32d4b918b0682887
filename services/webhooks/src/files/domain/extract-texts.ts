import { readExcerpt } from '@botyard/shared/files/documents/read-excerpt';
import { Unreadable } from '@botyard/shared/files/documents/sections';
import type { Deps } from '../../deps.ts';
import { documentTypeOf } from './media-type.ts';
import type { SpooledFile } from './spool.ts';

/** The limit for all files, because the mailer waits for the response. */
const usualWholeMs = 5000;
const maxBytes = 8 * 1024 * 1024;
/** For HTML: only a part of it is text. */
const maxBytesOfHtml = 1024 * 1024;
const maxMegabytes = 128;
/** Limit for all files of a mail together: an event must stay far below 1 MB. */
const maxUnitsOfTexts = 60_000;
const maxUnitsOfOne = 24_000;

const bytesPerUnit = 4;

/**
 * Extracts the text of files in mails. HTML is read in the thread for all texts. PDFs are read in a thread of their
 * own, one at a time over all deliveries, because each may need its memory.
 */
export class TextExtraction {
  readonly #texts: Pick<Deps['texts'], 'textOfHtml'>;
  readonly #wholeMs: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(texts: Pick<Deps['texts'], 'textOfHtml'>, { wholeMs = usualWholeMs } = {}) {
    this.#texts = texts;
    this.#wholeMs = wholeMs;
  }

  /** Returns the text of each file, shortened; `null` for a file that can't be read, or not in time. */
  async read(
    owner: string,
    files: readonly { file: SpooledFile; mediaType: string }[],
  ): Promise<(string | null)[]> {
    const deadline = AbortSignal.timeout(this.#wholeMs);
    const texts: (string | null)[] = [];
    let left = maxUnitsOfTexts;
    for (const { file, mediaType } of files) {
      const text = left > 0 ? await this.#readOne(owner, { file, mediaType, signal: deadline }) : null;
      const cut = text?.slice(0, Math.min(left, maxUnitsOfOne)).toWellFormed() ?? null;
      left -= cut?.length ?? 0;
      texts.push(cut === '' ? null : cut);
    }
    return texts;
  }

  async #readOne(
    owner: string,
    { file, mediaType, signal }: { file: SpooledFile; mediaType: string; signal: AbortSignal },
  ): Promise<string | null> {
    const type = documentTypeOf(mediaType);
    if (type === undefined) return null;
    if (type === 'pdf') return await this.#readPdf(file, signal);
    if (type === 'html') {
      const text = await this.#texts.textOfHtml(owner, await file.bytes(maxBytesOfHtml), signal);
      return text === null ? null : readable(text);
    }
    return readable(new TextDecoder().decode(await file.bytes(maxUnitsOfOne * bytesPerUnit)));
  }

  async #readPdf(file: SpooledFile, signal: AbortSignal): Promise<string | null> {
    if (file.sizeBytes > maxBytes) return null;
    const limits = { timeoutMs: this.#wholeMs, maxMegabytes };
    try {
      return await this.#inTurn(async () => {
        signal.throwIfAborted();
        const document = { type: 'pdf', bytes: await file.bytes(), maxUnits: maxUnitsOfOne } as const;
        return readable(await readExcerpt(document, { signal, limits }));
      });
    } catch (error) {
      if (error instanceof Unreadable || signal.aborted) return null;
      throw error;
    }
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/** Removes characters that would each take six in an event. */
const readable = (text: string): string =>
  text
    .slice(0, maxUnitsOfOne * 2)
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .trim();
