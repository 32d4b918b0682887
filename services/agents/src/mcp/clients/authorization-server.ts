import { type Egress, EgressError } from '@botyard/shared/http/egress/egress';
import type {
  AuthorizationServerMetadata,
  OAuthClientInformation,
  OAuthTokens,
} from '@modelcontextprotocol/client';
import { type AuthorizationCalls, authorizationCalls } from './authorization-fetch.ts';

/** `refused`: it won't work like this. `unreachable`: it may work later. */
type AuthorizationFault = 'refused' | 'unreachable';

/** `message` has no text of the authorization server. */
export class AuthorizationError extends Error {
  override readonly name = 'AuthorizationError';
  readonly fault: AuthorizationFault;

  constructor(fault: AuthorizationFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** The metadata of an authorization server, as far as they are used. */
export type Authority = Pick<
  AuthorizationServerMetadata,
  | 'issuer'
  | 'authorization_endpoint'
  | 'token_endpoint'
  | 'registration_endpoint'
  | 'response_types_supported'
  | 'code_challenge_methods_supported'
  | 'token_endpoint_auth_methods_supported'
  | 'authorization_response_iss_parameter_supported'
  | 'client_id_metadata_document_supported'
> & { revocation_endpoint?: string | undefined };

/** The authorization server of an MCP server, and the identifiers that it knows. */
export interface Discovered {
  authority: Authority;
  /** The server's identifier, for which tokens are issued (RFC 8707). */
  resource: string;
  scope: string | undefined;
}

/** Botyard, as an authorization server knows it. */
export type OauthClient = Pick<OAuthClientInformation, 'client_id' | 'client_secret'>;

/** Less than the gateway waits for an answer, together with what is stored before and after. */
const maxDiscoveryMs = 6000;
const maxTokenMs = 6000;
const maxRevocationMs = 3000;

const library = () => import('@modelcontextprotocol/client');

/** Finds the authorization server of an MCP server (RFC 9728, RFC 8414). @throws AuthorizationError. */
export const discoverAuthority = (egress: Egress, url: string): Promise<Discovered> =>
  called(egress, maxDiscoveryMs, async ({ fetch, failure }) => {
    const { checkResourceAllowed, discoverOAuthServerInfo, extractWWWAuthenticateParams } = await library();
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(await callWithoutToken(fetch, url));
    const discovered = await discoverOAuthServerInfo(url, {
      fetchFn: fetch,
      ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
    });
    const { authorizationServerMetadata: metadata, resourceMetadata } = discovered;
    const failed = failure();
    if (failed) throw failed;
    if (!metadata) throw new AuthorizationError('refused', 'the server names no authorization server');
    const resource = resourceMetadata?.resource ?? url;
    if (!checkResourceAllowed({ requestedResource: url, configuredResource: resource }))
      throw new AuthorizationError('refused', 'the metadata at the server is about another server');
    // OAuth 2.1 needs it, and a server without it would take a stolen code.
    if (!metadata.code_challenge_methods_supported?.includes('S256'))
      throw new AuthorizationError('refused', 'the authorization server does not offer PKCE with S256');
    const scopes = scope ?? resourceMetadata?.scopes_supported?.join(' ');
    return { authority: usedOf(metadata), resource, scope: scopes };
  });

const firstMessage = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'botyard', version: '1' } },
});

/** The server answers 401 and says where its metadata is. */
const callWithoutToken = (fetch: AuthorizationCalls['fetch'], url: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: firstMessage,
  });

const usedOf = (metadata: AuthorizationServerMetadata): Authority => ({
  issuer: metadata.issuer,
  authorization_endpoint: metadata.authorization_endpoint,
  token_endpoint: metadata.token_endpoint,
  registration_endpoint: metadata.registration_endpoint,
  revocation_endpoint: addressIn((metadata as { revocation_endpoint?: unknown }).revocation_endpoint),
  response_types_supported: metadata.response_types_supported,
  code_challenge_methods_supported: metadata.code_challenge_methods_supported,
  token_endpoint_auth_methods_supported: metadata.token_endpoint_auth_methods_supported,
  authorization_response_iss_parameter_supported: metadata.authorization_response_iss_parameter_supported,
  client_id_metadata_document_supported: metadata.client_id_metadata_document_supported,
});

const addressIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Registers Botyard (RFC 7591). @throws AuthorizationError. */
export const register = (
  egress: Egress,
  authority: Authority,
  document: ClientDocument,
): Promise<OauthClient> =>
  called(egress, maxDiscoveryMs, async ({ fetch }) => {
    const { registerClient } = await library();
    const metadata = authority as AuthorizationServerMetadata;
    const client = await registerClient(authority.issuer, {
      metadata,
      clientMetadata: document,
      fetchFn: fetch,
    });
    return { client_id: client.client_id, client_secret: client.client_secret };
  });

/** Describes Botyard, in a document at its own address or in a registration. */
interface ClientDocument {
  client_name: string;
  client_uri: string;
  redirect_uris: string[];
  grant_types: string[];
  response_types: string[];
  token_endpoint_auth_method: string;
  application_type: string;
}

interface Exchanged {
  authority: Authority;
  client: OauthClient;
  resource: string;
}

interface Code {
  code: string;
  /** As it came back (RFC 9207). The code is not sent if it names another authorization server. */
  iss: string | undefined;
  codeVerifier: string;
  redirectUri: string;
}

/** Exchanges a code for tokens. @throws AuthorizationError. */
export const exchangeCode = (
  egress: Egress,
  { authority, client, resource }: Exchanged,
  { code, iss, codeVerifier, redirectUri }: Code,
): Promise<OAuthTokens> =>
  called(egress, maxTokenMs, async ({ fetch }) => {
    const { exchangeAuthorization } = await library();
    return await exchangeAuthorization(authority.issuer, {
      metadata: authority as AuthorizationServerMetadata,
      clientInformation: client,
      authorizationCode: code,
      ...(iss === undefined ? {} : { iss }),
      codeVerifier,
      redirectUri,
      resource,
      fetchFn: fetch,
    });
  });

/** Exchanges a refresh token for tokens. @throws AuthorizationError. */
export const renewTokens = (
  egress: Egress,
  { authority, client, resource }: Exchanged,
  refreshToken: string,
): Promise<OAuthTokens> =>
  called(egress, maxTokenMs, async ({ fetch }) => {
    const { refreshAuthorization } = await library();
    return await refreshAuthorization(authority.issuer, {
      metadata: authority as AuthorizationServerMetadata,
      clientInformation: client,
      refreshToken,
      resource,
      fetchFn: fetch,
    });
  });

/** Revokes a token (RFC 7009), where the authorization server offers it. @throws AuthorizationError. */
export const revokeToken = (
  egress: Egress,
  { authority, client }: Pick<Exchanged, 'authority' | 'client'>,
  token: string,
): Promise<void> =>
  called(egress, maxRevocationMs, async ({ fetch }) => {
    const { revocation_endpoint: address, token_endpoint_auth_methods_supported: methods } = authority;
    if (!address) return;
    const { client_id: id, client_secret: secret } = client;
    const body = new URLSearchParams({ token, client_id: id });
    const isBasic = secret !== undefined && methods?.includes('client_secret_post') !== true;
    if (secret !== undefined && !isBasic) body.set('client_secret', secret);
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret ?? '')}`;
    await fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(isBasic ? { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } : {}),
      },
      body: body.toString(),
    });
  });

/** Codes of an answer that says that the request will never work. */
const refusals = [
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'access_denied',
  'invalid_target',
];

async function called<Result>(
  egress: Egress,
  maxMs: number,
  call: (calls: AuthorizationCalls) => Promise<Result>,
): Promise<Result> {
  try {
    return await call(authorizationCalls(egress, maxMs));
  } catch (cause) {
    throw cause instanceof AuthorizationError ? cause : toAuthorizationError(cause);
  }
}

function toAuthorizationError(cause: unknown): AuthorizationError {
  if (cause instanceof EgressError) {
    const isPassing = cause.fault === 'timeout' || cause.fault === 'failed';
    const message = isPassing ? 'the authorization server could not be reached' : cause.message;
    return new AuthorizationError(isPassing ? 'unreachable' : 'refused', message, { cause });
  }
  const { name, code } = Object(cause) as { name?: unknown; code?: unknown };
  if (name === 'IssuerMismatchError')
    return new AuthorizationError('refused', 'another authorization server answered', { cause });
  if (typeof code === 'string' && refusals.includes(code))
    return new AuthorizationError('refused', `the authorization server refused (${code})`, { cause });
  if (name === 'RegistrationRejectedError')
    return new AuthorizationError('refused', 'the authorization server did not register Botyard', { cause });
  return new AuthorizationError('unreachable', 'the authorization server does not keep to the protocol', {
    cause,
  });
}
