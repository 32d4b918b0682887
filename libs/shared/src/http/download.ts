import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { z } from 'zod';

/** A file as the answer to a request. */
export interface Download {
  content: Readable;
  /** As it was found by looking at the bytes, never as somebody said. */
  contentType: string;
  sizeBytes: number;
  /** Somebody else's word: it is shown as a name and never a path. */
  fileName: string;
}

/** The `response` of a route that answers with a file. */
export const Download: z.ZodType<Download, Download> = z.custom<Download>();

/** Sends a file that no browser shows or runs in our name, whatever is in it. */
export async function sendDownload(res: Response, status: number, download: Download): Promise<void> {
  res.attachment(fileNameOf(download.fileName));
  res.status(status).set({
    'content-type': download.contentType,
    'content-length': String(download.sizeBytes),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
    'cross-origin-resource-policy': 'same-origin',
  });
  await pipeline(download.content, res);
}

/** Control characters and marks that turn the direction of text would show another name than the one that is saved. */
const misleading = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

function fileNameOf(name: string): string {
  const shown = name
    .replace(misleading, '')
    .replaceAll(/[/\\:*?"<>|]/g, '_')
    .trim()
    .slice(0, 200);
  return shown.replace(/^\.+/, '') || 'attachment';
}
