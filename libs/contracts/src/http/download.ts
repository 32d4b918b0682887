import { z } from 'zod';

/** A file as the answer to a request. */
export interface Download {
  /** A stream, or content made while it is sent. */
  content: AsyncIterable<Uint8Array | string>;
  /** Detected from the bytes, never as declared. */
  contentType: string;
  /** Absent when it isn't known before the end. */
  sizeBytes?: number | undefined;
  /** Somebody else's word: it is shown as a name and never a path. */
  fileName: string;
}

/** The `response` of a route that answers with a file. */
export const Download: z.ZodType<Download, Download> = z.custom<Download>();
