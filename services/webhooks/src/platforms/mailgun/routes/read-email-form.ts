import { HttpError } from '@botyard/shared/http/errors';
import type { Request, RequestHandler, Response } from 'express';
import type { Options, StorageEngine } from 'multer';
import type { PostedFile } from '../../../files/domain/keep-files.ts';
import type { Reception } from '../../../files/domain/spool.ts';
import type { FieldMeter } from '../domain/inbound/files/field-meter.ts';
import { collectFields, FieldCollector, type MailForm, mailForm } from '../domain/inbound/mail-form.ts';
import { readPairs } from './read-pairs.ts';

/** The specification's limits (8): of a file, and of a request. */
const maxFileBytes = 25 * 1024 * 1024;
const maxFiles = 10;
/** The limit for everything except the files: a mail's text, its HTML, and each of its headers twice. */
const maxFieldBytes = 8 * 1024 * 1024;
const maxFields = 1000;

interface ReadForm {
  form: MailForm;
  files: PostedFile[];
}

export interface ReadingOptions {
  reception: Reception;
  /** Counts the bytes of fields, which are held in memory. */
  meter: FieldMeter;
  /** Throws when no file is accepted, judging by the fields before it. */
  checkBeforeFile: (form: MailForm) => Promise<void>;
}

const tooLarge = (what: string) => new HttpError(413, what);

/**
 * Reads the mailer's form: files go to the spool while they arrive, fields are limited. Rejects as soon as it is clear
 * that the delivery is refused; the rest of the body is discarded. @throws HttpError 406, 413, 503.
 */
export async function readEmailForm(req: Request, res: Response, options: ReadingOptions): Promise<ReadForm> {
  const type = (req.headers['content-type'] ?? '').toLowerCase();
  const isMultipart = type.startsWith('multipart/form-data');
  if (!isMultipart && !type.startsWith('application/x-www-form-urlencoded'))
    throw new HttpError(406, 'the body is not a form');
  const told = Number(req.headers['content-length'] ?? 0);
  if (told > maxFieldBytes + (isMultipart ? maxFiles * maxFileBytes : 0))
    throw tooLarge('the body is too large');
  if (isMultipart) return await readMultipart(req, res, options);
  return await readUrlencoded(req, options);
}

async function readUrlencoded(req: Request, { meter }: ReadingOptions): Promise<ReadForm> {
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new HttpError(406, 'the body is compressed');
  const collector = new FieldCollector();
  let bytes = 0;
  const count = (more: number) => {
    bytes += more;
    if (bytes > maxFieldBytes) throw tooLarge('the fields are too large');
    meter.take(more);
  };
  const read = readPairs(req, { collector, maxPairs: maxFields, count });
  const { hasTooMany } = await read.catch((error: unknown) => {
    throw asHttpError(error);
  });
  if (hasTooMany) throw tooLarge('there are too many fields');
  return { form: mailForm(collector.fields), files: [] };
}

async function readMultipart(req: Request, res: Response, options: ReadingOptions): Promise<ReadForm> {
  const { default: multer } = await import('multer');
  const refused = Promise.withResolvers<never>();
  const files: Storing['files'] = new Map();
  const upload = multer({
    storage: storageOf({ reception: options.reception, files, refuse: refused.reject }),
    limits: {
      ...{ fieldNameSize: 200, fieldSize: maxFieldBytes, fields: maxFields, fileSize: maxFileBytes },
      ...{ files: maxFiles, parts: maxFields + maxFiles, headerPairs: 20 },
      ...{ fieldNestingDepth: 2, fieldArrayIndexLimit: 100 },
    },
    defParamCharset: 'utf8',
    fileFilter: (_req, file, done) => {
      // Checked in the order of the files; the results may arrive in another order.
      files.set(file, undefined as never);
      options.checkBeforeFile(mailForm(collectFields(req.body))).then(
        () => done(null, true),
        (error: Error) => {
          refused.reject(error);
          done(error);
        },
      );
    },
    streamHandler: boundFields(options, refused.reject),
  } as Options);
  await Promise.race([run(upload.any(), req, res), refused.promise]);
  return { form: mailForm(collectFields(req.body)), files: [...files.values()] };
}

/** `multer` limits each field and their number, but not their total size. */
function boundFields({ reception, meter }: ReadingOptions, refuse: (error: Error) => void) {
  return (req: Request, busboy: NodeJS.WritableStream & { destroy(error: Error): void }) => {
    let bytes = 0;
    let counted = 0;
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      const ofFields = bytes - reception.receivedBytes;
      attempt(
        () => {
          if (ofFields > maxFieldBytes) throw tooLarge('the fields are too large');
          if (ofFields > counted) meter.take(ofFields - counted);
          counted = Math.max(counted, ofFields);
        },
        (error) => {
          refuse(error);
          req.unpipe(busboy);
          busboy.destroy(error);
        },
      );
    });
    req.pipe(busboy);
  };
}

function attempt(work: () => void, onError: (error: Error) => void): void {
  try {
    work();
  } catch (error) {
    onError(error as Error);
  }
}

interface Storing {
  reception: Reception;
  /** Files by multer's objects, in the order of the form. */
  files: Map<Express.Multer.File, PostedFile>;
  refuse: (error: Error) => void;
}

function storageOf({ reception, files, refuse }: Storing): StorageEngine {
  return {
    _handleFile: (_req, posted, done) => {
      const { stream, fieldname: field, originalname: name } = posted;
      stream.once('limit', () => refuse(tooLarge('a file is too large')));
      reception.keep(stream).then(
        (file) => {
          files.set(posted, { field, name, file });
          done(null, { size: file.sizeBytes });
        },
        (error: Error) => {
          // A form that ends in the middle of a file is the sender's fault; an error of the spool is an internal one.
          refuse(stream.errored === error ? asHttpError(error) : error);
          done(error);
        },
      );
    },
    // The reception ends with the delivery, and removes all files.
    _removeFile: (_req, _file, done) => done(null),
  };
}

async function run(handler: RequestHandler, req: Request, res: Response): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      handler(req, res, (error?: unknown) => (error ? reject(error) : resolve()));
    });
  } catch (error) {
    throw asHttpError(error);
  }
}

const tooMuch =
  /^(LIMIT_(FILE_SIZE|FILE_COUNT|FIELD_VALUE|FIELD_COUNT|FIELD_KEY|PART_COUNT)|entity\.too\.large|parameters\.too\.many)$/;

function asHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const { code, type } = error as { code?: unknown; type?: unknown };
  if (tooMuch.test(String(code ?? type)))
    return new HttpError(413, 'the delivery is too large', { cause: error });
  return new HttpError(406, 'the body can not be read', { cause: error });
}
