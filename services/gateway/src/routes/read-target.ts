import { badRequest, HttpError } from '@botyard/shared/http/errors';
import type { RequestHandler } from 'express';
import { parseTarget } from '../domain/request-target.ts';

/** More than a client has a reason for; the server reads some more than this, so that none vanishes unseen. */
export const maxHeaders = 100;

/** Reads the request's target, once, before anything else looks at it; later steps decide on `res.locals.path`. */
export const readTarget = (): RequestHandler => (req, res, next) => {
  if (req.rawHeaders.length > maxHeaders * 2)
    return next(new HttpError(431, 'the request has too many headers'));
  const target = parseTarget(req.url);
  if (!target) return next(badRequest('the address of the request is not valid'));
  res.locals.path = target.path;
  next();
};
