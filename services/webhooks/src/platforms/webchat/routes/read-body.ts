import { webchatLimits } from '@botyard/contracts/platforms/webchat';
import { badRequest, HttpError } from '@botyard/shared/http/errors';
import { tryParseForeignJson } from '@botyard/shared/json/parse-json';
import type { Request } from 'express';
import { z } from 'zod';
import { Proof } from '../domain/proof-of-work.ts';
import { ClaimedIdentity } from '../domain/verify-identity.ts';

const maxLineBytes = 48 * 1024;
const newline = 0x0a;

const who = {
  token: z
    .string()
    .regex(/^[\w-]{20,100}$/)
    .optional(),
  identity: ClaimedIdentity.optional(),
};
const language = z
  .string()
  .regex(/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i)
  .max(35)
  .optional()
  .catch(undefined);

/** The visitor has seen everything up to this number. */
const readTo = z.number().int().nonnegative().default(0);

export const MessageBody = z.object({
  ...who,
  clientId: z.uuid(),
  startId: z.uuid().optional(),
  text: z.string().max(webchatLimits.textLength),
  /** The visitor pressed a choice under an answer. */
  isChoice: z.boolean().default(false),
  readTo,
  name: z.string().trim().min(1).max(100).optional().catch(undefined),
  language,
  proof: Proof.optional(),
  /** A file follows in the next line. */
  file: z
    .object({ name: z.string().min(1).max(300), kind: z.enum(['photo', 'voice', 'document']) })
    .optional(),
});
export const StreamBody = z.object({
  ...who,
  after: z.number().int().nonnegative().default(0),
  readTo,
});
export const DeletionBody = z.object({ token: who.token.unwrap(), messageId: z.uuid() });
export const AddressBody = z.object({
  token: who.token.unwrap(),
  // One plain address: no name, no second one, no line end.
  address: z
    .string()
    .trim()
    .max(254)
    .toLowerCase()
    .regex(/^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, 'must be an email address'),
});
export const RatingBody = z.object({
  ...DeletionBody.shape,
  rating: z.enum(['up', 'down']).nullable(),
});
export const FileBody = DeletionBody;
export const EndBody = z.object({ token: who.token.unwrap() });

/** The first line of a body, as JSON, and what follows it. */
interface Body<Line> {
  line: Line;
  rest: AsyncIterable<Buffer>;
}

/**
 * Windows send plain text, whose first line is JSON, so that a browser asks no other question before (CORS): a message
 * is one request. A file follows the line as it is. @throws HttpError 400, 413, 415.
 */
export async function readBody<Schema extends z.ZodType>(
  req: Request,
  schema: Schema,
): Promise<Body<z.output<Schema>>> {
  if (!/^text\/plain\b/i.test(req.headers['content-type'] ?? '') || req.headers['content-encoding'])
    throw new HttpError(415, 'the body must be text/plain');
  const chunks = req.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  const { line, after } = await readLine(chunks);
  const parsed = schema.safeParse(tryParseForeignJson(line));
  if (!parsed.success)
    throw badRequest('the request is not valid', {
      issues: parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
    });
  return { line: parsed.data, rest: bounded(after, chunks) };
}

async function readLine(chunks: AsyncIterableIterator<Buffer>): Promise<{ line: Buffer; after: Buffer }> {
  let read = Buffer.alloc(0);
  for (;;) {
    const end = read.indexOf(newline);
    if (end >= 0) return { line: read.subarray(0, end), after: read.subarray(end + 1) };
    if (read.length > maxLineBytes) throw new HttpError(413, 'the message is too large');
    const { value, done } = await chunks.next();
    if (done) return { line: read, after: Buffer.alloc(0) };
    read = Buffer.concat([read, value]);
  }
}

async function* bounded(first: Buffer, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = first.length;
  if (bytes > 0) yield first;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > webchatLimits.fileBytes) throw new HttpError(413, 'the file is too large');
    yield chunk;
  }
}
