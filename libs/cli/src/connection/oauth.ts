import { parseForeignJson } from '@botyard/shared/json/parse-json';
import * as oauth from 'oauth4webapi';
import { CliError } from '../cli-error.ts';
import { type Credentials, saveCredentials } from './credentials.ts';
import { isLoopback } from './loopback.ts';

const timeoutMs = 15_000;
const renewBeforeMs = 60_000;
const scope = 'botyard:read botyard:write';

/** Time-limited, and unencrypted only on this machine. */
const optionsFor = (url: URL) => ({
  signal: () => AbortSignal.timeout(timeoutMs),
  [oauth.allowInsecureRequests]: url.protocol === 'http:' && isLoopback(url),
});

/** The authorization server that an installation accepts tokens of, and the API that they are for. */
export async function discover(
  origin: string,
): Promise<{ server: oauth.AuthorizationServer; resource: string }> {
  const resource = new URL('/api/mcp', origin);
  const answer = await oauth.resourceDiscoveryRequest(resource, optionsFor(resource)).catch(() => undefined);
  if (!answer) throw new CliError(`${origin} does not answer. Is it running?`);
  if (answer.status === 404)
    throw new CliError(`${origin} accepts no access tokens: its operator has to set IDP_ACCESS_TOKENS=true`);
  const { resource: named, authorization_servers: servers } = await readResource(answer);
  const issuer = servers?.[0];
  if (typeof named !== 'string' || issuer === undefined)
    throw new CliError(`${origin} names no authorization server`);
  return { server: await readServer(issuer), resource: named };
}

/** The named resource is that of the public address, which may be another one than that of this request. */
async function readResource(
  answer: Response,
): Promise<{ resource?: string; authorization_servers?: string[] }> {
  const body = new Uint8Array(await answer.arrayBuffer());
  return parseForeignJson(body) as { resource?: string; authorization_servers?: string[] };
}

async function readServer(issuer: string): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  const answer = await oauth.discoveryRequest(url, { ...optionsFor(url), algorithm: 'oauth2' });
  return await oauth.processDiscoveryResponse(url, answer);
}

/** A public client of its own. @throws CliError if the server registers none. */
export async function registerClient(
  server: oauth.AuthorizationServer,
  redirectUri: string,
): Promise<string> {
  if (!server.registration_endpoint)
    throw new CliError(`${server.issuer} registers no clients: name one with --client-id`);
  const metadata = {
    client_name: 'Botyard command line',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope,
  };
  const options = optionsFor(new URL(server.registration_endpoint));
  const answer = await oauth.dynamicClientRegistrationRequest(server, metadata, options);
  return (await oauth.processDynamicClientRegistrationResponse(answer)).client_id;
}

export interface Flow {
  server: oauth.AuthorizationServer;
  resource: string;
  clientId: string;
  redirectUri: string;
  state: string;
  verifier: string;
}

/** The page on which the person allows the sign-in. */
export async function authorizationUrl(flow: Flow): Promise<string> {
  const url = new URL(flow.server.authorization_endpoint!);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: flow.clientId,
    redirect_uri: flow.redirectUri,
    scope,
    state: flow.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(flow.verifier),
    code_challenge_method: 'S256',
    resource: flow.resource,
  }).toString();
  return url.href;
}

/** Exchanges what came back for tokens. @throws Error of the library for anything that doesn't belong to the flow. */
export async function complete(flow: Flow, cameBack: URL): Promise<Credentials> {
  const { server, clientId, resource } = flow;
  const client = { client_id: clientId };
  const parameters = oauth.validateAuthResponse(server, client, cameBack, flow.state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    flow.redirectUri,
    flow.verifier,
    { ...optionsFor(new URL(server.token_endpoint!)), additionalParameters: { resource } },
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
  return toCredentials(tokens, { issuer: server.issuer, clientId, resource });
}

/** The same sign-in, with another access token if this one ends soon. @throws CliError if it can't be renewed. */
export async function renewed(
  env: NodeJS.ProcessEnv,
  origin: string,
  credentials: Credentials,
): Promise<Credentials> {
  if (credentials.expiresAt - Date.now() > renewBeforeMs) return credentials;
  const again = new CliError('the sign-in has ended. Sign in again with "botyard login"');
  if (credentials.refreshToken === undefined) throw again;
  const { issuer, clientId, resource, refreshToken } = credentials;
  try {
    const server = await readServer(issuer);
    const client = { client_id: clientId };
    const options = { ...optionsFor(new URL(server.token_endpoint!)), additionalParameters: { resource } };
    const answer = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, options);
    const tokens = await oauth.processRefreshTokenResponse(server, client, answer);
    const next = toCredentials({ refresh_token: refreshToken, ...tokens }, { issuer, clientId, resource });
    await saveCredentials(env, origin, next);
    return next;
  } catch {
    throw again;
  }
}

const toCredentials = (
  tokens: Pick<oauth.TokenEndpointResponse, 'access_token' | 'refresh_token' | 'expires_in'>,
  of: Pick<Credentials, 'issuer' | 'clientId' | 'resource'>,
): Credentials => ({
  ...of,
  accessToken: tokens.access_token,
  refreshToken: tokens.refresh_token,
  expiresAt: Date.now() + (tokens.expires_in ?? 300) * 1000,
});
