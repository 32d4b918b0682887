import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { HttpError } from '@botyard/shared/http/errors';

/** The receiver of a service's answer: a client's response, or `CollectedAnswer`. */
export type AnswerTarget = Writable &
  Pick<ServerResponse, 'statusCode' | 'headersSent' | 'hasHeader' | 'flushHeaders'> & {
    setHeader(name: string, value: string | string[]): unknown;
  };

/** Keeps a service's answer in memory, up to a limit. */
export class CollectedAnswer extends Writable implements AnswerTarget {
  statusCode = 200;
  headersSent = false;
  readonly #headers = new Map<string, string | string[]>();
  readonly #chunks: Buffer[] = [];
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    super();
    this.#maxBytes = maxBytes;
    // The sender of the answer learns of an end by `close`.
    this.on('error', () => undefined);
  }

  get body(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  /** @throws HttpError 413 when the answer was longer than the limit. */
  refuseIfTooLong(): void {
    if (this.#bytes > this.#maxBytes) throw new HttpError(413, 'the answer is too long: ask for less of it');
  }

  header(name: string): string | undefined {
    return this.#headers.get(name)?.toString();
  }

  setHeader(name: string, value: string | string[]): void {
    this.#headers.set(name.toLowerCase(), value);
  }

  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase());
  }

  flushHeaders(): void {
    this.headersSent = true;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.headersSent = true;
    this.#bytes += chunk.length;
    const isTooLong = this.#bytes > this.#maxBytes;
    if (!isTooLong) this.#chunks.push(chunk);
    done(isTooLong ? new Error('the answer is too long') : undefined);
  }
}
