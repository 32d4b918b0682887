import type { JsonBounds } from '../json/json-bounds.ts';
import { JsonError } from '../json/parse-json.ts';
import { readJson } from '../json/read-json.ts';

/** The body of a response exceeded the bound. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';

  constructor(maxBytes: number, options?: ErrorOptions) {
    super(`the answer has more than ${maxBytes} bytes`, options);
  }
}

/** The body of a response is not JSON, or has too many values or levels. The message contains nothing of the body. */
export class AnswerNotJsonError extends Error {
  override readonly name = 'AnswerNotJsonError';

  constructor(options?: ErrorOptions) {
    super('the answer is no JSON', options);
  }
}

/** A `Response` of `fetch`, or anything else whose body is a stream of chunks. */
interface ReadableAnswer {
  body: AsyncIterable<Uint8Array> | null;
}

/**
 * The chunks of a foreign server's response (REQ-REL-25). The bound counts decompressed bytes, and the first byte
 * beyond it ends the request.
 * @throws AnswerTooLargeError; the connection's own error.
 */
export async function* boundedChunks({ body }: ReadableAnswer, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  // Leaving the loop cancels the stream, and with it the request.
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new AnswerTooLargeError(maxBytes);
    yield chunk;
  }
}

/** Like `boundedChunks`, concatenated. @throws as `boundedChunks`. */
export async function readBounded(answer: ReadableAnswer, maxBytes: number): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(boundedChunks(answer, maxBytes)));
}

/** Like `readBounded`, parsed. @throws as `readBounded`, and AnswerNotJsonError. */
export async function readBoundedJson(
  answer: ReadableAnswer & { url?: string },
  maxBytes: number,
  bounds?: JsonBounds,
): Promise<unknown> {
  const content = await readBounded(answer, maxBytes);
  try {
    return await readJson(content, { owner: hostOf(answer), ...(bounds ? { bounds } : {}) });
  } catch (error) {
    throw error instanceof JsonError ? new AnswerNotJsonError({ cause: error }) : error;
  }
}

const hostOf = ({ url = '' }: { url?: string }): string => URL.parse(url)?.host ?? '';

/** The beginning of a body as text, and whether the body is longer; the rest isn't read. */
export async function readStart(
  { body }: ReadableAnswer,
  maxBytes: number,
): Promise<{ text: string; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  const text = Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
  return { text, isCut: bytes > maxBytes };
}
