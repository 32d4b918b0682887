import type { AnyRoute } from '@botyard/contracts/http/contract';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Admitted } from '../auth/policed.ts';
import { usualBounds } from '../json/json-bounds.ts';
import { JsonError } from '../json/parse-json.ts';
import { readJson } from '../json/read-json.ts';
import { brokenJson } from './error-handler.ts';
import { HttpError, invalid } from './errors.ts';
import { refuseHostileInput } from './input-bounds.ts';

type Limits = Pick<AnyRoute, 'maxBodyBytes' | 'whenTooLarge'>;

/** A small compressed body can become a large one, so none is read. */
export const refuseEncoded: RequestHandler = (req, _res, next) => {
  const isEncoded = req.headers['content-encoding'] !== undefined;
  next(isEncoded ? new HttpError(415, 'send the body without Content-Encoding') : undefined);
};

/**
 * Reads a JSON body, and replaces `req.body` by its value; a request without a body has none. Its bytes, values and
 * levels are bounded before it is parsed.
 */
export function jsonBody(limits: Limits): RequestHandler[] {
  const read: RequestHandler = async (req, res, next) => {
    if (req.body === undefined && hasBody(req)) throw new HttpError(415, 'the body must be application/json');
    if (!isUtf8(req)) throw new HttpError(415, 'the body must be JSON in UTF-8');
    const bytes: Buffer | undefined = req.body;
    req.body = bytes && bytes.length > 0 ? await readBody(bytes, ownerOf(req, res), limits) : undefined;
    refuseHostileInput(req.body);
    next();
  };
  const raw = express.raw({ type: 'application/json', limit: limits.maxBodyBytes, inflate: false });
  return [
    (req, res, next) =>
      raw(req, res, (error?: unknown) =>
        next(isTooLarge(error) ? tooLarge(limits, 'the body is too large') : error),
      ),
    read,
  ];
}

async function readBody(bytes: Buffer, owner: string, limits: Limits): Promise<object> {
  try {
    const value = await readJson(bytes, { owner });
    if (typeof value === 'object' && value !== null) return value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { maxValues, maxDepth } = usualBounds;
    if (error.fault === 'values') throw tooLarge(limits, `the body has more than ${maxValues} values`);
    if (error.fault === 'depth')
      throw invalid([{ path: [], message: `must not be nested deeper than ${maxDepth}` }]);
  }
  throw brokenJson(bytes.toString('utf8'));
}

const tooLarge = ({ whenTooLarge }: Limits, what: string): HttpError =>
  new HttpError(413, whenTooLarge === undefined ? what : `${what}: ${whenTooLarge}`);

const isTooLarge = (error: unknown): boolean =>
  (error as { type?: unknown } | undefined)?.type === 'entity.too.large';

const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function isUtf8({ headers }: Request): boolean {
  const [, charset = 'utf-8'] = /;\s*charset="?([^\s";]+)/i.exec(headers['content-type'] ?? '') ?? [];
  return /^utf-?8$/i.test(charset);
}

/** The tenant or person whose turn it is to have a long body parsed. */
function ownerOf(req: Request, res: Response): string {
  const { tenantId, caller } = (res.locals.admitted ?? {}) as Partial<Admitted>;
  return tenantId ?? caller?.userId ?? req.ip ?? '';
}
