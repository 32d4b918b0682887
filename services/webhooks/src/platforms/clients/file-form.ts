import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { OutboundFile } from '@botyard/contracts/events/attachments';
import type { StreamedBody } from './post.ts';

/** A file to be sent, with its bytes. */
export type FileToPost = Pick<OutboundFile, 'name' | 'mediaType' | 'sizeBytes'> & { content: Readable };

export interface FileForm {
  type: string;
  body: StreamedBody;
}

/** A form with one file, which is read while it is sent. */
export function fileForm(
  fields: readonly (readonly [name: string, value: string])[],
  field: string,
  { name, mediaType, sizeBytes, content }: FileToPost,
): FileForm {
  const boundary = `botyard-${randomUUID()}`;
  const begin = (of: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(of)}"`;
  const head = [
    ...fields.map(([of, value]) => `${begin(of)}\r\n\r\n${value}\r\n`),
    `${begin(field)}; filename="${quoted(name)}"\r\nContent-Type: ${mediaType}\r\n\r\n`,
  ].join('');
  const [first, last] = [Buffer.from(head), Buffer.from(`\r\n--${boundary}--\r\n`)];
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: {
      sizeBytes: first.length + sizeBytes + last.length,
      stream: Readable.from(framed(first, content, last), { objectMode: false }),
    },
  };
}

async function* framed(first: Buffer, content: Readable, last: Buffer): AsyncGenerator<Buffer> {
  yield first;
  yield* content;
  yield last;
}

/** As browsers write it. */
const quoted = (text: string): string =>
  text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
