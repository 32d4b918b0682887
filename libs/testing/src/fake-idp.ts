/**
 * An identity provider: signing keys, session tokens, OAuth, and the parts of the backend API that Botyard uses. `url`
 * (ending in `/v1`) is the backend API, `issuer` is the tokens' issuer, and `<issuer>/.well-known/jwks.json` is public.
 */
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import type { Answer, Call } from './fake/fake-server.ts';
import { readBackend } from './idp/backend-reads.ts';
import { idpError, writeBackend } from './idp/backend-writes.ts';
import { IdpDirectory, isBetween } from './idp/directory.ts';
import { type AccessTokenOptions, OAuthServer } from './idp/oauth.ts';

type FakeIdpOptions = {
  port?: number;
  /** The bearer of the backend API. */
  secretKey?: string;
};

export type SessionTokenOptions = {
  userId: string;
  orgId?: string;
  /** Including its prefix: `org:admin`. Defaults to the role of the membership, or else to `org:member`. */
  orgRole?: string;
  /** 1: `org_id`, `org_role`. 2 (default): `o: { id, rol }`. */
  version?: 1 | 2;
  expiresInSeconds?: number;
  /** Added to the claims or replacing them; `undefined` leaves a claim out. */
  claims?: Record<string, unknown>;
  /** Signed by an unpublished key, under the published `kid`. */
  isForged?: boolean;
};

type SigningKey = { kid: string; privateKey: KeyObject; publicKey: KeyObject };

export class FakeIdp extends IdpDirectory {
  readonly secretKey: string;
  readonly oauth = new OAuthServer(this);
  #keys: SigningKey[] = [newKey()];

  constructor(options: FakeIdpOptions = {}) {
    super();
    this.secretKey = options.secretKey ?? 'sk_test_fake';
  }

  async start(port?: number): Promise<this> {
    await this.listen({ port, basePath: '/v1' });
    this.issuer = this.url.replace(/\/v1$/, '');
    return this;
  }

  /** The public key set, for `IDP_JWKS_URL`. */
  get jwksUrl(): string {
    return `${this.issuer}/.well-known/jwks.json`;
  }

  /**
   * Exchanges a ticket for a session of its person, once, as the provider's client does; returns `undefined` for any
   * other ticket.
   */
  async acceptTicket(ticket: string): Promise<string | undefined> {
    const token = this.signInTokens.get(ticket);
    this.signInTokens.delete(ticket);
    const isGood = token !== undefined && token.expiresAt > Date.now() && this.users.has(token.user_id);
    return isGood ? await this.sessionToken({ userId: token.user_id }) : undefined;
  }

  /** New tokens get a new `kid`. The old key stays published unless `keepsOld` is false. */
  rotateKey({ keepsOld = true }: { keepsOld?: boolean } = {}): string {
    const key = newKey();
    this.#keys = keepsOld ? [key, ...this.#keys] : [key];
    return key.kid;
  }

  async sessionToken(options: SessionTokenOptions): Promise<string> {
    const nowSeconds = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.issuer,
      sub: options.userId,
      sid: `sess_${randomUUID().replaceAll('-', '')}`,
      iat: nowSeconds,
      nbf: nowSeconds - 5,
      exp: nowSeconds + (options.expiresInSeconds ?? 60),
      jti: randomUUID(),
      fva: [0, -1],
      sts: 'active',
      ...this.#organizationClaims(options),
      ...options.claims,
    };
    return this.#sign(claims, { typ: 'JWT', cat: 'cl_session' }, options.isForged);
  }

  /** An OAuth access token (RFC 9068): by default of a program that a person lets read and write. */
  async accessToken(options: AccessTokenOptions): Promise<string> {
    const nowSeconds = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.issuer,
      sub: options.userId,
      client_id: options.clientId ?? 'client_1',
      scope: options.scope ?? 'botyard:read botyard:write',
      ...(options.resource === undefined ? {} : { aud: options.resource }),
      iat: nowSeconds,
      exp: nowSeconds + (options.expiresInSeconds ?? 3600),
      jti: randomUUID(),
      ...options.claims,
    };
    return this.#sign(claims, { typ: 'at+jwt' }, options.isForged);
  }

  #sign(claims: JWTPayload, header: Record<string, string>, isForged = false): Promise<string> {
    const key = this.#keys[0];
    if (key === undefined) throw new Error('the fake idp has no key');
    const signer = isForged ? newKey().privateKey : key.privateKey;
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header }).sign(signer);
  }

  #organizationClaims({ userId, orgId, orgRole, version = 2 }: SessionTokenOptions): Record<string, unknown> {
    const versionClaim = version === 2 ? { v: 2 } : {};
    if (orgId === undefined) return versionClaim;
    const membership = this.memberships.find((one) => isBetween(one, userId, orgId));
    const role = orgRole ?? membership?.role ?? 'org:member';
    const slug = this.organizations.get(orgId)?.slug;
    if (version === 1) return { org_id: orgId, org_slug: slug, org_role: role, org_permissions: [] };
    return { ...versionClaim, o: { id: orgId, slg: slug, rol: role.replace(/^org:/, '') } };
  }

  /**
   * Reads are named by their path alone, such as `users/{id}`; writes are prefixed with the method: `PATCH
   * organizations/{id}`.
   */
  protected operationOf(method: string, path: string): string {
    if (path === '/.well-known/jwks.json' || path === '/v1/jwks') return 'jwks';
    if (path.startsWith('/oauth/')) return path.slice('/oauth/'.length);
    const shape = path
      .replace(/^\/v1\//, '')
      .replace(/(users|organizations)\/[^/]+/, '$1/{id}')
      .replace(/\/memberships\/[^/]+/, '/memberships/{userId}');
    return method === 'GET' ? shape : `${method} ${shape}`;
  }

  protected async answer(call: Call): Promise<Answer> {
    const jwks = () => ({ keys: this.#keys.map(publicJwk) });
    if (call.path === '/.well-known/jwks.json') return { status: 200, body: jwks() };
    const ofOAuth = await this.oauth.answer(call);
    if (ofOAuth !== undefined) return ofOAuth;
    if (call.headers.authorization !== `Bearer ${this.secretKey}`) {
      return idpError(401, 'authentication_invalid', 'Invalid authentication');
    }
    if (call.path === '/v1/jwks') return { status: 200, body: jwks() };
    const missing = idpError(404, 'resource_not_found', 'not found');
    if (call.method !== 'GET') return writeBackend(this, call) ?? missing;
    const resource = readBackend(this, call.path, call.query);
    return resource === undefined ? missing : { status: 200, body: resource };
  }
}

function newKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { kid: `ins_${randomUUID().replaceAll('-', '')}`, privateKey, publicKey };
}

function publicJwk({ kid, publicKey }: SigningKey): Record<string, unknown> {
  return { ...publicKey.export({ format: 'jwk' }), use: 'sig', kid, alg: 'RS256' };
}

/** Listens on its own port. */
export function startFakeIdp(options: FakeIdpOptions = {}): Promise<FakeIdp> {
  return new FakeIdp(options).start(options.port);
}
