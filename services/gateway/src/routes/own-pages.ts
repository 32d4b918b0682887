import type { ServerResponse } from 'node:http';
import { createErrorHandler, refuseUnknownPath } from '@botyard/shared/http/error-handler';
import type { Routed } from '@botyard/shared/http/request-context';
import express, { type Request, type Response } from 'express';
import type { Deps } from '../deps.ts';
import { ownPages } from '../routes.ts';

export const isOwnPage = (path: string): boolean => ownPages.some(({ isAt }) => isAt(path));

/** Answers what the gateway has to say itself; handlers find the path in `res.locals.path`. */
export function createOwnPages(deps: Deps): (req: Routed, res: ServerResponse, path: string) => void {
  const app = express().disable('x-powered-by').disable('etag');
  for (const { answer } of ownPages) app.use(answer(deps));
  app.use(refuseUnknownPath, createErrorHandler(deps.log));
  return (req, res, path) => {
    Object.assign(res, { locals: { path } });
    app(req as Request, res as Response);
  };
}
