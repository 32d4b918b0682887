import type { IncomingMessage, ServerResponse } from 'node:http';
import { forbidden, HttpError, notFound, unauthorized } from '@botyard/shared/http/errors';
import { currentContext } from '@botyard/shared/tracing/context';
import type { Deps } from '../deps.ts';
import { scopes } from '../domain/access-token.ts';
import { admissionOf } from '../domain/gate.ts';
import { nameOf, type Principal } from '../domain/principal.ts';
import { isUnder } from '../domain/request-target.ts';

/** The MCP server decides tool by tool what an access token covers; it is called with POST only. */
export const mcpPath = '/api/mcp';

/** Authenticates requests, and decides which may pass. Unknown paths beneath `/api` are 401 as well. */
export async function admit(
  { authenticator, protectedResource }: Deps,
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
    res.setHeader('WWW-Authenticate', isUnder(path, mcpPath) ? challenge(protectedResource) : 'Bearer');
    throw principal;
  }
  if (!mayCall(principal, req.method, path)) throw forbidden('the access token lacks the scope for this');
  const context = currentContext();
  if (context) context.principalId = nameOf(principal.identity);
  return principal;
}

/** Tells MCP clients where their person signs in, if access tokens are accepted. */
function challenge(resource: Deps['protectedResource']): string {
  if (!resource) return 'Bearer';
  return `Bearer resource_metadata="${resource.metadataUrl}", scope="${Object.values(scopes).join(' ')}"`;
}

function mayCall({ grant }: Principal, method: string | undefined, path: string): boolean {
  if (grant === 'all') return true;
  return grant === 'read' && (method === 'GET' || method === 'HEAD' || path === mcpPath);
}
