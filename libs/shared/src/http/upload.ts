import express, { type RequestHandler } from 'express';
import { z } from 'zod';
import { HttpError, unavailable } from './errors.ts';

/** A file as the body of a request: its bytes as they came, and what its sender says that they are. */
export interface Upload {
  bytes: Buffer;
  /** As in the header, in lower case; empty when there was none. */
  contentType: string;
}

/** The `body` of a route that takes a file. Its content is for the handler to judge: any type is let in. */
export const Upload: z.ZodType<Upload> = z.custom<Upload>(
  (value) => Buffer.isBuffer((value as Partial<Upload>).bytes) && (value as Upload).bytes.length > 0,
  'a file is needed: its bytes are the body',
);

/** Most bytes of uploads of one route that are held at once: further ones are told to come back. */
const maxBytesAtOnce = 64 * 1024 * 1024;

/** Reads the body as bytes, at most so many. What is compressed is refused, so that a small body can't become a large one. */
export function uploadParser(maxBytes: number): RequestHandler[] {
  let bytesAtOnce = 0;
  const enter: RequestHandler = (req, res, next) => {
    const told = Number(req.headers['content-length'] ?? maxBytes);
    if (told > maxBytes) throw new HttpError(413, 'the body is too large');
    const bytes = Number.isSafeInteger(told) ? told : maxBytes;
    if (bytesAtOnce + bytes > maxBytesAtOnce) throw unavailable('too many uploads at the moment');
    bytesAtOnce += bytes;
    res.once('close', () => {
      bytesAtOnce -= bytes;
    });
    next();
  };
  const wrap: RequestHandler = (req, _res, next) => {
    const bytes = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    req.body = { bytes, contentType: (req.headers['content-type'] ?? '').toLowerCase() } satisfies Upload;
    next();
  };
  return [enter, express.raw({ type: () => true, limit: maxBytes, inflate: false }), wrap];
}
