import type { RequestHandler } from 'express';
import type { Deps } from '../deps.ts';
import { metadataPath } from '../domain/protected-resource.ts';

/** Where clients of the MCP server get access tokens. While none are accepted, there is no such page. */
export const answerProtectedResource =
  ({ protectedResource }: Deps): RequestHandler =>
  (req, res, next) => {
    if (res.locals.path !== metadataPath || req.method !== 'GET' || !protectedResource) return next();
    req.route = { path: metadataPath };
    res.json(protectedResource.metadata);
  };
