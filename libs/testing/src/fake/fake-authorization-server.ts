/** An OAuth 2.1 authorization server on loopback, for one MCP server. It can be made to misbehave. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readBody } from './fake-server.ts';

interface ReceivedForm {
  path: string;
  headers: IncomingHttpHeaders;
  form: Record<string, string>;
}

interface Code {
  clientId: string;
  challenge: string;
  resource: string;
}

/** Answers a request itself, and returns whether it did. */
type Misbehaviour = (path: string, res: ServerResponse) => boolean;

export class FakeAuthorizationServer {
  /** The metadata that differ from what an honest server says. */
  metadata: Record<string, unknown> = {};
  /** The seconds for which access tokens are good. */
  lifeSeconds = 3600;
  /** Answer of the token endpoint instead of tokens. */
  tokenError: string | undefined;
  misbehave: Misbehaviour = () => false;
  /** Resolves before tokens are answered: a test holds it back. */
  beforeTokens: () => Promise<void> = async () => undefined;
  readonly received: ReceivedForm[] = [];
  readonly registered: Record<string, unknown>[] = [];
  /** Access tokens that are good. */
  readonly tokens = new Set<string>();
  readonly revoked: string[] = [];
  readonly #codes = new Map<string, Code>();
  readonly #refreshTokens = new Set<string>();
  readonly #http = createServer((req, res) => void this.#answer(req, res));

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get host(): string {
    return `127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get issuer(): string {
    return `http://${this.host}`;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  /** A person's consent. Returns the query for the browser: the code, and the issuer of RFC 9207. */
  consent(authorizeUrl: string): URLSearchParams {
    const { searchParams } = new URL(authorizeUrl);
    const code = randomUUID();
    this.#codes.set(code, {
      clientId: searchParams.get('client_id') ?? '',
      challenge: searchParams.get('code_challenge') ?? '',
      resource: searchParams.get('resource') ?? '',
    });
    return new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss: this.issuer });
  }

  /** The forms that an endpoint has got. */
  at = (path: string): Record<string, string>[] =>
    this.received.filter((one) => one.path === path).map(({ form }) => form);

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = (await readBody(req)).toString();
    const { pathname: path } = new URL(req.url ?? '/', this.issuer);
    const isForm = req.headers['content-type']?.includes('form-urlencoded') === true;
    this.received.push({ path, headers: req.headers, form: isForm ? formOf(body) : {} });
    if (this.misbehave(path, res)) return;
    if (path === '/authorize') {
      // A person who consents at once.
      const back = new URL(new URL(req.url ?? '/', this.issuer).searchParams.get('redirect_uri') ?? '');
      back.search = this.consent(`${this.issuer}${req.url}`).toString();
      res.writeHead(303, { location: back.href }).end();
      return;
    }
    const answer = await this.#answerTo(path, body, req.headers);
    res.writeHead(answer.status, { 'content-type': 'application/json' });
    res.end(answer.body === undefined ? '' : JSON.stringify(answer.body));
  }

  async #answerTo(path: string, body: string, headers: IncomingHttpHeaders): Promise<Answer> {
    switch (path) {
      case '/.well-known/oauth-authorization-server':
        return { status: 200, body: this.#describe() };
      case '/register': {
        const document = JSON.parse(body);
        this.registered.push(document);
        return { status: 201, body: { ...document, client_id: `client-${this.registered.length}` } };
      }
      case '/token':
        await this.beforeTokens();
        return this.#issue(formOf(body), headers);
      case '/revoke':
        this.revoked.push(formOf(body).token ?? '');
        return { status: 200 };
      default:
        return { status: 404, body: { error: 'not_found' } };
    }
  }

  #describe(): Record<string, unknown> {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      registration_endpoint: `${this.issuer}/register`,
      revocation_endpoint: `${this.issuer}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
      authorization_response_iss_parameter_supported: true,
      ...this.metadata,
    };
  }

  #issue(form: Record<string, string>, _headers: IncomingHttpHeaders): Answer {
    if (this.tokenError !== undefined) return refusal(this.tokenError);
    if (form.grant_type === 'refresh_token') {
      // Each is good for one exchange.
      if (!this.#refreshTokens.delete(form.refresh_token ?? '')) return refusal('invalid_grant');
      return this.#newTokens();
    }
    const code = this.#codes.get(form.code ?? '');
    this.#codes.delete(form.code ?? '');
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url');
    if (!code || challenge !== code.challenge || form.client_id !== code.clientId)
      return refusal('invalid_grant');
    return form.resource === code.resource ? this.#newTokens() : refusal('invalid_target');
  }

  #newTokens(): Answer {
    const [access_token, refresh_token] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    this.tokens.add(access_token);
    this.#refreshTokens.add(refresh_token);
    const body = { access_token, refresh_token, token_type: 'Bearer', expires_in: this.lifeSeconds };
    return { status: 200, body };
  }
}

interface Answer {
  status: number;
  body?: unknown;
}

const formOf = (body: string): Record<string, string> => Object.fromEntries(new URLSearchParams(body));
const refusal = (error: string): Answer => ({ status: 400, body: { error } });
