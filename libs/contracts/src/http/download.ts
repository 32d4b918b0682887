import { z } from 'zod';

/** A file as the answer to a request. */
export interface Download {
  /** A stream, or what is made while it is sent. */
  content: AsyncIterable<Uint8Array | string>;
  /** As it was found by looking at the bytes, never as somebody said. */
  contentType: string;
  /** Absent when it isn't known before the end. */
  sizeBytes?: number | undefined;
  /** Somebody else's word: it is shown as a name and never a path. */
  fileName: string;
}

/** The `response` of a route that answers with a file. */
export const Download: z.ZodType<Download, Download> = z.custom<Download>();
