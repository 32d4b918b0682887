import { notFound, unauthorized } from '@botyard/shared/http/errors';
import { currentContext } from '@botyard/shared/tracing/context';
import type { RequestHandler } from 'express';
import type { Deps } from '../deps.ts';
import { admissionOf } from '../domain/gate.ts';

/** The gate: what comes past it has `res.locals.principal`. Unknown paths beneath `/api` are 401 as well. */
export const admit =
  ({ authenticator }: Deps): RequestHandler =>
  async (req, res, next) => {
    const admission = admissionOf(res.locals.path);
    if (admission === 'nobody') throw notFound('path');
    if (admission === 'anonymous') {
      res.locals.principal = authenticator.anonymous();
      return next();
    }
    const principal = await authenticator.user(req.headers.authorization);
    if (!principal) {
      res.setHeader('WWW-Authenticate', 'Bearer');
      throw unauthorized();
    }
    const context = currentContext();
    if (context && principal.identity.kind === 'user') context.principalId = principal.identity.idpUserId;
    res.locals.principal = principal;
    next();
  };
