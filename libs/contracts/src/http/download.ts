import { z } from 'zod';

/** A file as the response to a request. */
export interface Download {
  /** A stream, or content that is generated while it is sent. */
  content: AsyncIterable<Uint8Array | string>;
  /** Detected from the bytes, never taken from the declared type. */
  contentType: string;
  /** Absent if the size isn't known in advance. */
  sizeBytes?: number | undefined;
  /** Untrusted input: it is shown as a name and never used as a path. */
  fileName: string;
}

/** The `response` of a route that returns a file. */
export const Download: z.ZodType<Download, Download> = z.custom<Download>();
