import type { Upload } from '@botyard/contracts/http/upload';
import express, { type RequestHandler } from 'express';
import type { Admitted } from '../auth/policed.ts';
import { SharedBudget } from '../work/shared-budget.ts';
import { HttpError } from './errors.ts';

/**
 * Limit on the bytes of uploads that one route holds in memory, in total and of one tenant; others get 503. The last
 * quarter is for tenants with one upload at a time.
 */
const maxBytesAtOnce = 64 * 1024 * 1024;
const maxBytesOfTenant = 24 * 1024 * 1024;
const reserve = 16 * 1024 * 1024;

/**
 * Reads the body as bytes, up to a limit. Compressed bodies are refused, so that a small one can't become a large one.
 */
export function uploadParser(maxBytes: number): RequestHandler[] {
  const budget = new SharedBudget({ max: maxBytesAtOnce, reserve, what: 'bytes of uploads' });
  const enter: RequestHandler = (req, res, next) => {
    const contentLength = Number(req.headers['content-length'] ?? maxBytes);
    if (contentLength > maxBytes) throw new HttpError(413, 'the body is too large');
    const bytes = Number.isSafeInteger(contentLength) ? contentLength : maxBytes;
    const { tenantId, caller } = (res.locals.admitted ?? {}) as Partial<Admitted>;
    const owner = tenantId ?? caller?.userId ?? '';
    res.once('close', budget.take([{ owner, max: maxBytesOfTenant, maxFromReserve: maxBytes }], bytes));
    next();
  };
  const wrap: RequestHandler = (req, _res, next) => {
    const bytes = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    req.body = { bytes, contentType: (req.headers['content-type'] ?? '').toLowerCase() } satisfies Upload;
    next();
  };
  return [enter, express.raw({ type: () => true, limit: maxBytes, inflate: false }), wrap];
}
