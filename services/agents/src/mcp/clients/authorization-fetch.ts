import { type Egress, EgressError } from '@botyard/shared/http/egress/egress';
import { exceededBound } from '@botyard/shared/json/json-bounds';
import type { FetchLike } from '@modelcontextprotocol/client';

const maxBytes = 256 * 1024;
const bounds = { maxValues: 10_000, maxDepth: 32 };

/** Calls of an authorization server, and of the addresses with its metadata. */
export interface AuthorizationCalls {
  fetch: FetchLike;
  /** Why the first call that failed did. The library goes on without what it could not read. */
  failure: () => EgressError | undefined;
}

/** Every address is a stranger's: through the egress guard, within bounds, and without following redirects. */
export function authorizationCalls(egress: Egress, maxMs: number): AuthorizationCalls {
  const endsAt = Date.now() + maxMs;
  let failure: EgressError | undefined;
  const fetch: FetchLike = async (address, init = {}) => {
    try {
      const { status, headers, body, isCut } = await egress.request(String(address), {
        method: init.method === 'POST' ? 'POST' : 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(init.body === undefined || init.body === null ? {} : { body: String(init.body) }),
        maxBytes,
        timeoutMs: Math.max(1, endsAt - Date.now()),
      });
      if (status < 200 || (status >= 300 && status < 400))
        throw new EgressError('refused', 'redirects are not followed');
      if (isCut || exceededBound(body, bounds))
        throw new EgressError('too large', 'the authorization server answers with more than is read');
      return responseOf(status, headers['www-authenticate'], body);
    } catch (error) {
      if (error instanceof EgressError) failure ??= error;
      throw error;
    }
  };
  return { fetch, failure: () => failure };
}

function responseOf(status: number, authenticate: string | undefined, body: Buffer): Response {
  const headers = new Headers({ 'content-type': 'application/json' });
  if (authenticate !== undefined) headers.set('www-authenticate', authenticate);
  return new Response(status === 204 ? null : new Uint8Array(body), { status, headers });
}
