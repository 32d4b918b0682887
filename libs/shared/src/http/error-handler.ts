import type { ServerResponse } from 'node:http';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { isContention } from '../db/failures.ts';
import type { Log } from '../log/log.ts';
import { badRequest, HttpError, notFound, unavailable } from './errors.ts';
import { findJsonFault } from './json-fault.ts';
import { sendJson } from './send-json.ts';

/** Answers every path without a route. */
export const refuseUnknownPath: RequestHandler = (_req, _res, next) => next(notFound('path'));

/**
 * The one place that converts an error to a response (REQ-HTTP-1). Errors other than HttpError become a fixed 500, or
 * 503 while the database is too busy and a retry may well succeed.
 */
export function answerError(log: Log, error: unknown, res: ServerResponse): void {
  const answer = toHttpError(error);
  if (answer.status >= 500 && !answer.isExpected) log.error({ err: error }, answer.message);
  else log.debug({ status: answer.status, reason: answer.message }, 'request refused');
  if (res.headersSent) {
    res.destroy();
    return;
  }
  if (answer.retryAfterSeconds !== undefined) res.setHeader('Retry-After', answer.retryAfterSeconds);
  sendJson(res, answer.status, answer.body);
}

export function createErrorHandler(log: Log): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) => answerError(log, error, res);
}

export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (isContention(error)) return unavailable('the database is busy', { cause: error });
  return fromBodyParser(error) ?? new HttpError(500, 'something went wrong on our side', { cause: error });
}

/** Errors of express's reader of bodies, recognized by their documented `type`. */
function fromBodyParser(error: unknown): HttpError | undefined {
  const { type } = (error ?? {}) as { type?: unknown };
  switch (type) {
    case 'entity.too.large':
      return new HttpError(413, 'the body is too large');
    case 'request.aborted':
    case 'request.size.invalid':
      return badRequest('the body is not complete');
    case 'encoding.unsupported':
      return new HttpError(415, 'the encoding of the body is not supported');
    default:
      return undefined;
  }
}

/** The fault is not located in longer texts: that takes longer than parsing them. */
const maxSearchedLength = 128 * 1024;

/** Names the position of the fault. Valid JSON that is refused is neither an object nor a list. */
export function brokenJson(text: string): HttpError {
  if (text.length > maxSearchedLength) return badRequest('the body is not valid JSON');
  const place = findJsonFault(text);
  if (place === null) return badRequest('the body is not a JSON object');
  const { line, column } = place;
  return badRequest(`the body is not valid JSON: see line ${line}, column ${column}`);
}
