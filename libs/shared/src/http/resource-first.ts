import type { AnyRoute, Router } from '@botyard/contracts/http/contract';
import { Download } from '@botyard/contracts/http/download';
import { EventStream } from '@botyard/contracts/http/event-stream';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { toHttpError } from './error-handler.ts';
import { HttpError } from './errors.ts';

/**
 * The shortest GET route that a route's path begins with, that has all its identifiers and acts in the same tenant: it
 * tells whether the resource exists. `undefined` for paths without one.
 */
export function readerOf(
  { routes }: Pick<Router, 'routes'>,
  { path, params, access }: AnyRoute,
): { name: string; route: AnyRoute } | undefined {
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name).filter((name) => !params[name]);
  if (ids.length === 0) return undefined;
  return Object.entries(routes)
    .map(([name, route]) => ({ name, route }))
    .filter(({ route }) => isPlainRead(route) && isInTenant(route) === isInTenant({ access }))
    .filter(({ route }) => isBeginning(route.path, path, ids))
    .sort((left, right) => left.route.path.length - right.route.path.length)[0];
}

const isInTenant = ({ access }: Pick<AnyRoute, 'access'>): boolean =>
  access === 'member' || access === 'admin';

const isPlainRead = ({ method, response }: AnyRoute): boolean =>
  method === 'get' && response !== Download && response !== EventStream;

function isBeginning(beginning: string, path: string, ids: readonly string[]): boolean {
  const segments = beginning.split('/');
  return `${path}/`.startsWith(`${beginning}/`) && ids.every((name) => segments.includes(`:${name}`));
}

/** Statuses that find fault with the input. */
const faultsOfInput = [400, 413, 415];

/**
 * Answers 403 or 404 in place of a fault of the input if the caller may not reach the resource, or it doesn't exist:
 * the order is 401, 403, 404, 400 (REQ-HTTP-1). `find` throws them.
 */
export function resourceFirst(find: (req: Request, res: Response) => Promise<unknown>): ErrorRequestHandler {
  return async (error, req, res, next) => {
    const isAfterAdmission = res.locals.admitted !== undefined;
    if (!isAfterAdmission || !faultsOfInput.includes(toHttpError(error).status)) return next(error);
    const missing = await find(req, res).then(
      () => undefined,
      (refusal: unknown) =>
        refusal instanceof HttpError && [403, 404].includes(refusal.status) ? refusal : undefined,
    );
    next(missing ?? error);
  };
}
