import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError, notFound, unauthorized } from '@botyard/shared/http/errors';
import { currentContext } from '@botyard/shared/tracing/context';
import type { Deps } from '../deps.ts';
import { admissionOf } from '../domain/gate.ts';
import { nameOf, type Principal } from '../domain/principal.ts';

/** Authenticates requests, and decides which may pass. Unknown paths beneath `/api` are 401 as well. */
export async function admit(
  { authenticator }: Deps,
  req: IncomingMessage,
  { res, path }: { res: ServerResponse; path: string },
): Promise<Principal> {
  const admission = admissionOf(path);
  if (admission === 'nobody') throw notFound('path');
  if (admission === 'anonymous') return authenticator.anonymous();
  const { authorization } = req.headers;
  const principal =
    authorization === undefined
      ? authenticator.withoutToken(req)
      : ((await authenticator.withToken(authorization)) ?? unauthorized());
  if (principal instanceof HttpError) {
    res.setHeader('WWW-Authenticate', 'Bearer');
    throw principal;
  }
  const context = currentContext();
  if (context) context.principalId = nameOf(principal.identity);
  return principal;
}
