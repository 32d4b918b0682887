import { z } from 'zod';

/** The files that a route takes as `multipart/form-data`, in fields named `files`, in place of its usual body. */
export interface FormFiles {
  most: number;
  maxBytesOfOne: number;
}

/** A file of a form. Its name is the sender's. */
export interface FormFile {
  name: string;
  bytes: Uint8Array;
}

/** A form that is read as it arrives. */
export interface Form {
  /**
   * Hands over one file after another, and returns the other fields. The next file isn't read before the earlier one is
   * handled. @throws HttpError 400 for a broken form, 413, 503; and the errors of `onFile`.
   */
  read(onFile: (file: FormFile) => Promise<void>): Promise<Readonly<Record<string, string>>>;
}

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
