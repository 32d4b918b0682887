import { createHash, randomBytes } from 'node:crypto';
import { signInCookies, signInSeconds, type ToolServerSignIn } from '@botyard/contracts/http/oauth-client';
import { type Caller, identityOf } from '@botyard/shared/auth/caller';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, unavailable, unprocessable } from '@botyard/shared/http/errors';
import type { Exchange } from '@botyard/shared/http/exchange';
import { sealJson } from '@botyard/shared/secrets/sealed-json';
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import type { z } from 'zod';
import {
  type Authority,
  AuthorizationError,
  discoverAuthority,
  type OauthClient,
} from '../clients/authorization-server.ts';
import type { Deps } from '../deps.ts';
import { getServer, type ServerKey, type ServerRow } from '../store/servers.ts';
import { insertSignIn, type SignInRow } from '../store/sign-ins.ts';
import { serverAddress } from './address.ts';
import { type ClientOfServer, oauthClientOf, redirectUriOf } from './oauth-client.ts';

/** The values that a sign-in needs when its person comes back. */
export interface BegunSignIn {
  /** The address for which it was begun. */
  url: string;
  resource: string;
  codeVerifier: string;
  client: OauthClient;
  authority: Authority;
}

export const signInBinding = ({
  tenantId,
  serverId,
  stateHash,
}: Pick<SignInRow, 'tenantId' | 'serverId' | 'stateHash'>) => ({
  purpose: 'tool-server-sign-in',
  tenantId,
  recordId: serverId,
  stateHash,
});

/** The stored form of a state and of a browser's secret. Both are random, so that no key is needed. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

const newSecret = (): string => randomBytes(32).toString('base64url');

/**
 * Begins a sign-in, and ties it to the admin's browser. @throws HttpError 404; 409 for a server without OAuth; 422 when
 * it can't be signed in to; 503 when it, or its authorization server, doesn't answer.
 */
export async function beginSignIn(
  deps: BeginDeps,
  exchange: Exchange,
  { caller, ...key }: ServerKey & { caller: Caller },
): Promise<z.input<typeof ToolServerSignIn>> {
  const { database } = deps;
  const { tenantId } = key;
  const server = await withTenant(database, [tenantId], async (tx) =>
    found(await getServer(tx, key), 'server'),
  );
  if (!server.usesOauth)
    throw conflict('this server is not authorized by a sign-in: change its authorization');
  return await beginIn(deps, exchange, server, { identity: identityOf(caller), linkId: null });
}

type BeginDeps = Pick<Deps, 'config' | 'database' | 'egress' | 'keyring' | 'publicBaseUrl' | 'visits'>;

/** Begins a sign-in of an admin, or of a person who came by a link. @throws HttpError 422, 503. */
export async function beginIn(
  deps: BeginDeps,
  exchange: Exchange,
  server: ServerRow,
  person: Pick<SignInRow, 'identity' | 'linkId'>,
): Promise<z.input<typeof ToolServerSignIn>> {
  const { database, keyring, publicBaseUrl, visits } = deps;
  const { tenantId, serverId } = server;
  const { url, begun } = await visits.run(tenantId, () => prepareSignIn(deps, server));
  const state = newSecret();
  url.searchParams.set('state', state);
  const name = publicBaseUrl.startsWith('https:') ? signInCookies.secure : signInCookies.local;
  const browser = secretIn(exchange.cookie(name)) ?? newSecret();
  const stateHash = hashOf(state);
  const sealedSignIn = await sealJson(keyring, begun, signInBinding({ tenantId, serverId, stateHash }));
  const expiresAt = await withTenant(database, [tenantId], (tx) =>
    insertSignIn(tx, {
      tenantId,
      serverId,
      stateHash,
      browserHash: hashOf(browser),
      ...person,
      sealedSignIn,
      seconds: signInSeconds,
    }),
  );
  const isSecure = publicBaseUrl.startsWith('https:');
  exchange.setCookie({ name, value: browser, maxAgeSeconds: signInSeconds, isSecure });
  return { url: url.href, expiresAt: expiresAt.toISOString() };
}

/** The browser's secret of a sign-in that it began before: both can be completed. */
const secretIn = (cookie: string | undefined): string | undefined =>
  cookie !== undefined && /^[\w-]{43}$/.test(cookie) ? cookie : undefined;

type PrepareDeps = Pick<Deps, 'config' | 'egress' | 'keyring' | 'publicBaseUrl'>;

/** The page of the authorization server, and what is needed when its person comes back. @throws HttpError 422, 503. */
export async function prepareSignIn(
  deps: PrepareDeps,
  server: ClientOfServer & Pick<ServerRow, 'url' | 'issuer'>,
): Promise<{ url: URL; begun: BegunSignIn }> {
  try {
    const { authority, resource, scope } = await discoverAuthority(deps.egress, server.url);
    if (server.issuer !== null && server.issuer !== authority.issuer)
      throw new AuthorizationError(
        'refused',
        'the server names another authorization server than before: save its authorization again if that is right',
      );
    // A person opens it in their browser.
    serverAddress(authority.authorization_endpoint, deps.config.EGRESS_ALLOWED_HOSTS);
    const client = await oauthClientOf(deps, server, authority);
    const { startAuthorization } = await import('@modelcontextprotocol/client');
    const { authorizationUrl, codeVerifier } = await startAuthorization(authority.issuer, {
      metadata: authority as AuthorizationServerMetadata,
      clientInformation: client,
      redirectUrl: redirectUriOf(deps.publicBaseUrl),
      resource,
      ...(scope === undefined ? {} : { scope }),
    });
    return { url: authorizationUrl, begun: { url: server.url, resource, codeVerifier, client, authority } };
  } catch (error) {
    if (!(error instanceof AuthorizationError)) throw error;
    throw error.fault === 'refused'
      ? unprocessable(error.message, { cause: error })
      : unavailable(error.message, { cause: error });
  }
}
