import { FakeAuthorizationServer } from '@botyard/testing/fake/fake-authorization-server';
import { FakeMcpServer } from '@botyard/testing/fake/fake-mcp-server';

const path = '/api/integrations/servers';

/** Two MCP servers that a tenant connects: one takes a header, the other one tokens of an authorization server. */
export class ToolServers {
  readonly #withHeader = new FakeMcpServer();
  readonly #withTokens = new FakeMcpServer();
  readonly #authority = new FakeAuthorizationServer();

  async start(): Promise<this> {
    await Promise.all([this.#withHeader, this.#withTokens, this.#authority].map((one) => one.listen()));
    this.#withHeader.authorization = 'Bearer of-the-header';
    const { host, url } = this.#withTokens;
    const metadata = `http://${host}/.well-known/oauth-protected-resource/mcp`;
    this.#withTokens.misbehave = ({ method, headers }, res) => {
      if (method === 'GET') {
        const body = { resource: url, authorization_servers: [this.#authority.issuer] };
        res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        return true;
      }
      if (this.#authority.tokens.has((headers.authorization ?? '').replace('Bearer ', ''))) return false;
      res.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
      return true;
    };
    return this;
  }

  /** The settings with which an installation may reach them. */
  get env(): Record<string, string> {
    const hosts = [this.#withHeader, this.#withTokens, this.#authority].map(({ host }) => host);
    return { TOOL_INTEGRATIONS_ENABLED: 'true', EGRESS_ALLOWED_HOSTS: hosts.join() };
  }

  /** The admin of a tenant adds both, signs in, and allows their tools. */
  async connect(gatewayUrl: string, tenantId: string): Promise<void> {
    const call = caller(gatewayUrl, tenantId);
    const header = { type: 'header', header: 'Authorization', value: 'Bearer of-the-header' };
    await call('POST', path, { name: 'Header', url: this.#withHeader.url, authorization: header });
    const oauth = { name: 'Tokens', url: this.#withTokens.url, authorization: { type: 'oauth' } };
    const { serverId } = await call('POST', path, oauth).then(({ body }) => body);
    const begun = await call('POST', `${path}/${serverId}/authorize`);
    const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const query = this.#authority.consent(begun.body.url);
    await call('GET', `/oauth/callback?${query}&again=true`, undefined, { cookie });
    for (const server of (await call('GET', path)).body) {
      const own = `${path}/${server.serverId}`;
      await call('POST', `${own}/refresh`);
      const [{ pin }] = (await call('GET', `${own}/tools`)).body;
      await call('PUT', `${own}/tools/echo`, { isAllowed: true, readsOnly: true, repeatable: false, pin });
    }
  }

  /** Calls the tool of each server. Returns its state, and whether the call was answered. */
  async tryTools(gatewayUrl: string, tenantId: string): Promise<unknown[]> {
    const call = caller(gatewayUrl, tenantId);
    const results: unknown[] = [];
    for (const { serverId } of (await call('GET', path)).body) {
      const tools = `${path}/${serverId}/tools`;
      const [{ pin, state }] = (await call('GET', tools)).body;
      const tried = await call('POST', `${tools}/echo/try`, { arguments: { text: 'Hello' }, pin });
      results.push([state, tried.text.includes('Hello')]);
    }
    return results;
  }

  async close(): Promise<void> {
    await Promise.all([this.#withHeader, this.#withTokens, this.#authority].map((one) => one.close()));
  }
}

/** Requests of the tenant's admin in development mode. */
const caller =
  (gatewayUrl: string, tenantId: string) =>
  async (method: string, target: string, body?: object, more: Record<string, string> = {}) => {
    const answer = await fetch(`${gatewayUrl}${target}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-tenant-id': tenantId, ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${target}: ${answer.status} ${text}`);
    const isJson = answer.headers.get('content-type')?.includes('json');
    return { headers: answer.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };
