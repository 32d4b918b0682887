import { oauthClientDocument, oauthClientPath } from '@botyard/contracts/http/oauth-client';
import type { RequestHandler } from 'express';
import type { Deps } from '../deps.ts';

/** Describes Botyard to the authorization servers of MCP servers: the address is its client ID there. */
export const answerOauthClient =
  ({ publicOrigin }: Pick<Deps, 'publicOrigin'>): RequestHandler =>
  (req, res, next) => {
    if (res.locals.path !== oauthClientPath || req.method !== 'GET') return next();
    req.route = { path: oauthClientPath };
    res.json({ client_id: `${publicOrigin}${oauthClientPath}`, ...oauthClientDocument(publicOrigin) });
  };
