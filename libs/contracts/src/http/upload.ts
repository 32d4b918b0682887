import { z } from 'zod';

/** A file as the body of a request: its bytes as they came, and what its sender says that they are. */
export interface Upload {
  bytes: Uint8Array;
  /** As in the header, in lower case; empty when there was none. */
  contentType: string;
}

/** The `body` of a route that takes a file. Its content is for the handler to judge: any type is let in. */
export const Upload: z.ZodType<Upload> = z.custom<Upload>(
  (value) => (value as Partial<Upload>).bytes instanceof Uint8Array && (value as Upload).bytes.length > 0,
  'a file is needed: its bytes are the body',
);
