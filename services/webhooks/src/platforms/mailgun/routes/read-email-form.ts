import { HttpError } from '@botyard/shared/http/errors';
import type { Holding } from '@botyard/shared/work/fair-budget';
import type { Request, RequestHandler, Response } from 'express';
import type { Options, StorageEngine } from 'multer';
import type { PostedFile } from '../../../files/domain/keep-files.ts';
import type { Reception } from '../../../files/domain/spool.ts';
import { FieldCollector, type MailForm, mailForm } from '../domain/inbound/mail-form.ts';
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
  /** The bytes of fields, which are held in memory. */
  held: Holding;
  /**
   * Called when a signature has arrived, and before each file. The rest of the body isn't read before it resolves.
   * Throws when the delivery is refused. Without a file, a field that follows may still prove it: `mayFollow`.
   */
  onFields: (form: MailForm, position: { mayFollow: boolean }) => Promise<void>;
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
  const contentLength = Number(req.headers['content-length'] ?? 0);
  if (contentLength > maxFieldBytes + (isMultipart ? maxFiles * maxFileBytes : 0))
    throw tooLarge('the body is too large');
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(options.held.signal.reason);
  for (const { signal } of [options.held, options.reception.held]) signal.addEventListener('abort', end);
  const read = isMultipart ? readMultipart(req, res, options) : readUrlencoded(req, options);
  return await Promise.race([read, ended.promise]);
}

const signatureFields = ['timestamp', 'token', 'signature'] as const;

/**
 * Charges what is kept of the fields, and asks whether the delivery is refused as soon as it is signed; once more when
 * the signature by the account above has arrived.
 */
function createMeter({ held, onFields }: ReadingOptions, collector: FieldCollector) {
  let signatures = 0;
  return async (fieldBytes: number, keptBytes: number) => {
    if (fieldBytes > maxFieldBytes) throw tooLarge('the fields are too large');
    await held.hold(keptBytes);
    if (!signatureFields.every((name) => collector.has(name))) return;
    const arrived = collector.has('parent-signature') ? 2 : 1;
    if (arrived === signatures) return;
    signatures = arrived;
    await onFields(mailForm(collector.fields), { mayFollow: arrived === 1 });
  };
}

async function readUrlencoded(req: Request, options: ReadingOptions): Promise<ReadForm> {
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new HttpError(406, 'the body is compressed');
  const collector = new FieldCollector();
  const onChunk = createMeter(options, collector);
  const read = readPairs(req, { collector, maxPairs: maxFields, onChunk });
  const { hasTooMany } = await read.catch((error: unknown) => {
    throw asHttpError(error);
  });
  if (hasTooMany) throw tooLarge('there are too many fields');
  return { form: mailForm(collector.fields), files: [] };
}

async function readMultipart(req: Request, res: Response, options: ReadingOptions): Promise<ReadForm> {
  const { default: multer } = await import('multer');
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => undefined);
  const files: Storing['files'] = new Map();
  const collector = new FieldCollector();
  const upload = multer({
    storage: storageOf({ reception: options.reception, files, refuse: refused.reject }),
    limits: {
      fieldNameSize: 200,
      fieldSize: maxFieldBytes,
      fields: maxFields,
      fileSize: maxFileBytes,
      files: maxFiles,
      parts: maxFields + maxFiles,
      headerPairs: 20,
    },
    defParamCharset: 'utf8',
    fileFilter: (_req, file, done) => {
      // Checked in the order of the files; the results may arrive in another order.
      files.set(file, undefined as never);
      options.onFields(mailForm(collector.fields), { mayFollow: false }).then(
        () => done(null, true),
        (error: Error) => {
          refused.reject(error);
          done(error);
        },
      );
    },
    streamHandler: feed(options, collector, refused.reject),
  } as Options);
  await Promise.race([run(upload.any(), req, res), refused.promise]);
  return { form: mailForm(collector.fields), files: [...files.values()] };
}

type Busboy = NodeJS.WritableStream & { destroy(error: Error): void };

/**
 * Passes the body on to `multer`'s parser in pieces, and takes its fields: it would keep all of them, of any name. A
 * field is in the parser's memory until its end.
 */
function feed(options: ReadingOptions, collector: FieldCollector, refuse: (error: Error) => void) {
  const meter = createMeter(options, collector);
  return (req: Request, busboy: Busboy) => {
    let bytes = 0;
    let bytesOfEnded = 0;
    const fieldBytes = () => Math.max(0, bytes - options.reception.receivedBytes);
    busboy.removeAllListeners('field');
    busboy.on(
      'field',
      (name: string, value: string, cut: { nameTruncated: boolean; valueTruncated: boolean }) => {
        bytesOfEnded = fieldBytes();
        if (cut.nameTruncated || cut.valueTruncated) refuse(tooLarge('a field is too large'));
        else collector.add(name, value);
      },
    );
    const write = async () => {
      for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (!busboy.write(chunk)) await drained(busboy);
        const ofOpen = Math.max(0, fieldBytes() - bytesOfEnded);
        await meter(fieldBytes(), collector.keptBytes + ofOpen);
      }
      busboy.end();
    };
    write().catch((error: Error) => {
      refuse(asHttpError(error));
      busboy.destroy(error);
    });
  };
}

const drained = (stream: NodeJS.WritableStream): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done).off('error', done);
      resolve();
    };
    stream.on('drain', done).on('close', done).on('error', done);
  });

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
