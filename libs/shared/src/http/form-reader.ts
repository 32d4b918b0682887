import type { Form, FormFile, FormFiles } from '@botyard/contracts/http/upload';
import type { Request, RequestHandler, Response } from 'express';
import type { Options, StorageEngine } from 'multer';
import type { Admitted } from '../auth/policed.ts';
import { FairBudget, type Holding } from '../work/fair-budget.ts';
import { HttpError, invalid } from './errors.ts';

/** Limits on the bytes of files that one route holds in memory, in total and of one tenant, in largest files. */
const maxFilesAtOnce = 3;
const maxFilesOfTenant = 2;
/** The other fields of a form: few, and short beside the files. */
const limitsOfFields = { fieldNameSize: 100, fieldSize: 128 * 1024, fields: 10, headerPairs: 20 };

export const isForm = (req: Request): boolean =>
  /^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '');

/**
 * Prepares a form for its handler, which reads it. One file of a form is in memory at a time. Its bytes count as they
 * arrive. Where there is no room for the files of all tenants, the oldest upload of the tenant that holds the most is
 * ended, so slow uploads keep nobody out.
 */
export function formReader(files: FormFiles): RequestHandler {
  const { most, maxBytesOfOne } = files;
  const limits = {
    maxBytes: maxFilesAtOnce * maxBytesOfOne,
    maxBytesOfOne: maxFilesOfTenant * maxBytesOfOne,
  };
  const budget = new FairBudget({ strangers: limits, tenants: limits, what: 'bytes of uploads' });
  const maxBytes = most * maxBytesOfOne + limitsOfFields.fields * limitsOfFields.fieldSize;
  return (req, res, next) => {
    if (isForm(req)) {
      if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
      const { tenantId, caller } = (res.locals.admitted ?? {}) as Partial<Admitted>;
      const owner = { tenantId: tenantId ?? caller?.userId ?? '' };
      const form: Form = {
        read: (onFile) => readForm(req, res, { files, onFile, hold: () => budget.open(owner) }),
      };
      res.locals.form = form;
    }
    next();
  };
}

const tooLarge = (cause?: unknown) =>
  new HttpError(413, 'the form or one of its files is too large', { cause });

interface Reading {
  files: FormFiles;
  onFile: (file: FormFile) => Promise<void>;
  /** The memory of a file. */
  hold: () => Holding;
}

/** Resolves when the form has ended and its files are handled; also rejects only when none is being handled. */
async function readForm(req: Request, res: Response, reading: Reading): Promise<Record<string, string>> {
  const { default: multer } = await import('multer');
  const { most, maxBytesOfOne: fileSize } = reading.files;
  const files = new FileByFile(reading);
  const upload = multer({
    storage: files,
    limits: { ...limitsOfFields, fileSize, files: most, parts: most + limitsOfFields.fields },
    defParamCharset: 'utf8',
  } as Options);
  const read = new Promise<void>((resolve, reject) => {
    upload.array('files')(req, res, (error?: unknown) => (error ? reject(asHttpError(error)) : resolve()));
  });
  try {
    await read;
  } finally {
    await files.handled.catch(() => undefined);
  }
  const fields = Object.entries((req.body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    fields.filter((field): field is [string, string] => typeof field[1] === 'string'),
  );
}

/** Reads a file when the one before it was handled. The form's sender waits meanwhile. */
class FileByFile implements StorageEngine {
  readonly #reading: Reading;
  handled: Promise<void> = Promise.resolve();

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  _handleFile(...[, posted, done]: Parameters<StorageEngine['_handleFile']>): void {
    this.handled = this.handled.then(() => this.#handle(posted));
    this.handled.then(() => done(null, {}), done);
  }

  _removeFile(...[, , done]: Parameters<StorageEngine['_removeFile']>): void {
    done(null);
  }

  async #handle({ stream, originalname: name }: Express.Multer.File): Promise<void> {
    const { files, hold, onFile } = this.#reading;
    const held = hold();
    try {
      const bytes = await readHeld(stream as AsyncIterable<Buffer>, held);
      if (bytes.length > files.maxBytesOfOne) throw tooLarge();
      await onFile({ name, bytes });
    } finally {
      held.end();
    }
  }
}

/**
 * Reads a file into memory that is taken as the bytes arrive.
 * @throws HttpError 503 when there is no room, and at once when the file has to make room for others.
 */
async function readHeld(stream: AsyncIterable<Buffer>, held: Holding): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const ended = Promise.withResolvers<never>();
  const end = () => {
    // The sender may be silent for long. The bytes must not stay until it writes again.
    chunks.length = 0;
    ended.reject(held.signal.reason);
  };
  held.signal.addEventListener('abort', end, { once: true });
  const readAll = async () => {
    for await (const chunk of stream) {
      await held.add(chunk.length);
      chunks.push(chunk);
    }
    held.arrived();
    return Buffer.concat(chunks);
  };
  try {
    return await Promise.race([readAll(), ended.promise]);
  } finally {
    held.signal.removeEventListener('abort', end);
  }
}

const tooMuch = /^LIMIT_(FILE_SIZE|FILE_COUNT|FIELD_VALUE|FIELD_COUNT|FIELD_KEY|PART_COUNT)$/;

function asHttpError(error: unknown): unknown {
  if (error instanceof HttpError) return error;
  const { code } = error as { code?: unknown };
  if (tooMuch.test(String(code))) return tooLarge(error);
  if (code === 'LIMIT_UNEXPECTED_FILE')
    return invalid([{ path: [], message: 'files must be in fields with the name files' }]);
  // A form that is broken, or that ends too early. Other errors come from `onFile`.
  const isOfForm = code !== undefined || isOfParser.test((error as Error).message);
  return isOfForm ? new HttpError(400, 'the form can not be read', { cause: error }) : error;
}

const isOfParser = /form|boundary|multipart|part header|^Request (?:aborted|closed|error)/i;
