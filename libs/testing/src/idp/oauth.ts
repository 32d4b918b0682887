/**
 * The identity provider as an OAuth 2.1 authorization server: metadata, registration of clients, a page on which a
 * person consents, codes with PKCE (S256 only), refresh tokens that work once.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Answer, Call } from '../fake/fake-server.ts';
import { consentPage, messagePage } from './oauth-page.ts';

export type AccessTokenOptions = {
  userId: string;
  clientId?: string;
  /** Separated by spaces. */
  scope?: string;
  /** The API that the token is for. */
  resource?: string;
  expiresInSeconds?: number;
  /** Added to the claims or replacing them; `undefined` leaves a claim out. */
  claims?: Record<string, unknown>;
  /** Signed by an unpublished key, under the published `kid`. */
  isForged?: boolean;
};

/** The parts of the identity provider that its authorization server uses. */
type Provider = {
  issuer: string;
  users: ReadonlyMap<string, { id: string; first_name: string | null; last_name: string | null }>;
  accessToken(options: AccessTokenOptions): Promise<string>;
};

type Client = { client_id: string; client_name: string; redirect_uris: string[] };
type Granted = { userId: string; clientId: string; scope: string; resource: string | undefined };
type Code = Granted & { redirectUri: string; challenge: string; expiresAt: number };

const scopesSupported = ['botyard:read', 'botyard:write'];
const accessSeconds = 3600;
const codeMs = 60_000;

export class OAuthServer {
  readonly clients = new Map<string, Client>();
  readonly #codes = new Map<string, Code>();
  readonly #refreshTokens = new Map<string, Granted>();
  readonly #provider: Provider;

  constructor(provider: Provider) {
    this.#provider = provider;
  }

  /** `undefined` for a call that belongs to another part of the provider. */
  async answer(call: Call): Promise<Answer | undefined> {
    const { path } = call;
    const isMetadata = path === '/.well-known/oauth-authorization-server';
    if (isMetadata || path === '/.well-known/openid-configuration') return json(200, this.#metadata());
    if (path === '/oauth/register' && call.method === 'POST') return this.#register(call);
    if (path === '/oauth/authorize') return this.#authorize(call);
    if (path === '/oauth/token' && call.method === 'POST') return await this.#token(call);
    return undefined;
  }

  #metadata() {
    const { issuer } = this.#provider;
    return {
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      registration_endpoint: `${issuer}/oauth/register`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      scopes_supported: scopesSupported,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }

  #register({ params }: Call): Answer {
    const uris = Array.isArray(params.redirect_uris) ? params.redirect_uris : [];
    const areUris = uris.every((uri): uri is string => typeof uri === 'string' && URL.canParse(uri));
    if (uris.length === 0 || !areUris) return json(400, { error: 'invalid_redirect_uri' });
    const client = {
      client_id: `client_${randomUUID()}`,
      client_name: typeof params.client_name === 'string' ? params.client_name.slice(0, 100) : 'A program',
      redirect_uris: uris,
    };
    this.clients.set(client.client_id, client);
    return json(201, { ...client, token_endpoint_auth_method: 'none' });
  }

  /** Shows who may consent, or sends the person back to the client with their choice. */
  #authorize({ method, query, params }: Call): Answer {
    const client = this.clients.get(query.get('client_id') ?? '');
    const redirectUri = query.get('redirect_uri') ?? client?.redirect_uris[0] ?? '';
    if (!client?.redirect_uris.includes(redirectUri))
      return messagePage('This program is not registered, or wants to be answered at another address.');
    const back = (fields: Record<string, string>) => this.#sendBack(redirectUri, query.get('state'), fields);
    const challenge = query.get('code_challenge');
    if (!challenge || query.get('code_challenge_method') !== 'S256' || query.get('response_type') !== 'code')
      return back({ error: 'invalid_request' });
    const scope = (query.get('scope') ?? 'botyard:read')
      .split(' ')
      .filter((one) => scopesSupported.includes(one));
    if (method !== 'POST') return consentPage(client.client_name, scope, [...this.#provider.users.values()]);
    const userId = params.person;
    if (typeof userId !== 'string' || !this.#provider.users.has(userId))
      return back({ error: 'access_denied' });
    const code = randomUUID();
    this.#codes.set(code, {
      userId,
      clientId: client.client_id,
      scope: scope.join(' '),
      resource: query.get('resource') ?? undefined,
      redirectUri,
      challenge,
      expiresAt: Date.now() + codeMs,
    });
    return back({ code });
  }

  #sendBack(redirectUri: string, state: string | null, fields: Record<string, string>): Answer {
    const url = new URL(redirectUri);
    const all = { ...fields, ...(state === null ? {} : { state }), iss: this.#provider.issuer };
    for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
    return { status: 302, headers: { location: url.href }, body: '' };
  }

  async #token({ params }: Call): Promise<Answer> {
    const isRefresh = params.grant_type === 'refresh_token';
    const granted = isRefresh ? this.#takeRefreshToken(params) : this.#takeCode(params);
    if (!granted || !this.#provider.users.has(granted.userId)) return json(400, { error: 'invalid_grant' });
    const refreshToken = randomUUID();
    this.#refreshTokens.set(refreshToken, granted);
    const { userId, clientId, scope, resource } = granted;
    const access = { userId, clientId, scope, expiresInSeconds: accessSeconds };
    return json(200, {
      access_token: await this.#provider.accessToken(
        resource === undefined ? access : { ...access, resource },
      ),
      token_type: 'Bearer',
      expires_in: accessSeconds,
      refresh_token: refreshToken,
      scope,
    });
  }

  #takeCode(params: Call['params']): Granted | undefined {
    const code = this.#codes.get(`${params.code}`);
    this.#codes.delete(`${params.code}`);
    const challenge = createHash('sha256').update(`${params.code_verifier}`).digest('base64url');
    const isRight =
      params.client_id === code?.clientId &&
      (params.redirect_uri ?? code?.redirectUri) === code?.redirectUri &&
      challenge === code?.challenge;
    return isRight && code !== undefined && code.expiresAt > Date.now() ? code : undefined;
  }

  #takeRefreshToken(params: Call['params']): Granted | undefined {
    const granted = this.#refreshTokens.get(`${params.refresh_token}`);
    if (granted === undefined || params.client_id !== granted.clientId) return undefined;
    this.#refreshTokens.delete(`${params.refresh_token}`);
    return granted;
  }
}

const json = (status: number, body: unknown): Answer => ({
  status,
  headers: { 'cache-control': 'no-store' },
  body,
});
