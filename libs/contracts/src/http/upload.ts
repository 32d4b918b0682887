import { z } from 'zod';

/** A file as the body of a request: its bytes, and the media type that the sender gave. */
export interface Upload {
  bytes: Uint8Array;
  /** The `Content-Type` header, in lower case; empty if there was none. */
  contentType: string;
}

/** The `body` of a route that takes a file. Any type is accepted; the handler checks the content. */
export const Upload: z.ZodType<Upload> = z.custom<Upload>(
  (value) => (value as Partial<Upload>).bytes instanceof Uint8Array && (value as Upload).bytes.length > 0,
  'a file is required: send its bytes as the body',
);
