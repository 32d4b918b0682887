import { pipeline } from 'node:stream/promises';
import type { Download } from '@botyard/contracts/http/download';
import type { Response } from 'express';

/**
 * Sends a file that browsers neither display nor run on our origin, whatever its content. Errors before its first
 * part are answered as usual; after that the connection is cut, so that a part isn't taken for the whole.
 */
export async function sendDownload(res: Response, status: number, download: Download): Promise<void> {
  const { content, contentType, sizeBytes, fileName } = download;
  const parts = content[Symbol.asyncIterator]();
  const first = await parts.next();
  res.attachment(fileNameOf(fileName));
  res.status(status).set({
    'content-type': contentType,
    ...(sizeBytes === undefined ? {} : { 'content-length': String(sizeBytes) }),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
    'cross-origin-resource-policy': 'same-origin',
  });
  try {
    await pipeline(async function* all() {
      if (first.done) return;
      yield first.value;
      yield* { [Symbol.asyncIterator]: () => parts };
    }, res);
  } finally {
    // The client may have left before the first part was sent: then the pipeline doesn't end the content.
    await parts.return?.();
  }
}

/** Control and direction characters would display a name that differs from the saved one. */
const misleading = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

function fileNameOf(name: string): string {
  const shown = name
    .replace(misleading, '')
    .replaceAll(/[/\\:*?"<>|]/g, '_')
    .trim()
    .slice(0, 200);
  return shown.replace(/^\.+/, '') || 'attachment';
}
