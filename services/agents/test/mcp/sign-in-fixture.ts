import { FakeAuthorizationServer } from '@botyard/testing/fake/fake-authorization-server';
import { FakeMcpServer } from '@botyard/testing/fake/fake-mcp-server';
import type { Answer } from '@botyard/testing/test-call';
import { startAgents } from '../agents-services.ts';
import { asAdmin, type IntegrationsFixture, openIntegrationsFixture } from '../integrations-fixture.ts';

export const serversPath = '/api/integrations/servers';

/** A server that wants access tokens of an authorization server, beside the agents' services. */
export interface SignInFixture extends IntegrationsFixture {
  server: FakeMcpServer;
  authority: FakeAuthorizationServer;
  /** Another authorization server, which is a stranger's. */
  stranger: FakeAuthorizationServer;
  /** Untrue metadata of the server (RFC 9728), which replace the true ones. */
  resource: Record<string, unknown>;
}

export async function openSignInFixture(): Promise<SignInFixture> {
  const server = await new FakeMcpServer().listen();
  const authority = await new FakeAuthorizationServer().listen();
  const stranger = await new FakeAuthorizationServer().listen();
  const integrations = await openIntegrationsFixture();
  await integrations.agents.stop();
  const allowed = [server, authority, stranger].map(({ host }) => host).join();
  const env = { ...integrations.env, EGRESS_ALLOWED_HOSTS: allowed };
  const agents = await startAgents(integrations, env);
  const close = async () => {
    await integrations.close();
    await Promise.all([server, authority, stranger].map((one) => one.close()));
  };
  return { ...integrations, env, agents, server, authority, stranger, resource: {}, close };
}

/** Restores honesty: the server names its authority, and takes its tokens only. */
export async function beHonest(fixture: SignInFixture): Promise<void> {
  const { server, authority, stranger } = fixture;
  await fixture.harness.asOwner('delete from agents.tool_servers');
  fixture.resource = {};
  for (const one of [authority, stranger]) {
    one.metadata = {};
    one.lifeSeconds = 3600;
    one.tokenError = undefined;
    one.misbehave = () => false;
    one.beforeTokens = async () => undefined;
    one.received.length = 0;
    one.registered.length = 0;
    one.revoked.length = 0;
  }
  server.misbehave = ({ method, headers }, res) => {
    const metadata = `http://${server.host}/.well-known/oauth-protected-resource/mcp`;
    if (method === 'GET') {
      const body = { resource: server.url, authorization_servers: [authority.issuer], ...fixture.resource };
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return true;
    }
    if (authority.tokens.has((headers.authorization ?? '').replace('Bearer ', ''))) return false;
    res.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}", scope="tools"` }).end();
    return true;
  };
}

export async function addServer(fixture: SignInFixture, authorization: object = {}): Promise<string> {
  const body = { name: 'Fake', url: fixture.server.url, authorization: { type: 'oauth', ...authorization } };
  const answer = await asAdmin(fixture, 'POST', serversPath, body);
  if (answer.status !== 201) throw new Error(`no server: ${answer.text}`);
  return answer.body.serverId;
}

export const authorize = (fixture: SignInFixture, serverId: string): Promise<Answer> =>
  asAdmin(fixture, 'POST', `${serversPath}/${serverId}/authorize`);

export interface Begun {
  url: string;
  cookie: string;
}

export async function begin(fixture: SignInFixture, serverId: string): Promise<Begun> {
  const answer = await authorize(fixture, serverId);
  if (answer.status !== 201) throw new Error(`not begun: ${answer.text}`);
  return { url: answer.body.url, cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

/** The person's browser comes back from the authorization server. */
export const comeBack = (
  { agents }: SignInFixture,
  query: URLSearchParams,
  cookie: string | undefined,
): Promise<Answer> =>
  agents.call('GET', `/oauth/callback?${query}&again=true`, {
    as: null,
    headers: cookie === undefined ? {} : { cookie },
  });

export async function signIn(fixture: SignInFixture, serverId: string): Promise<Answer> {
  const { url, cookie } = await begin(fixture, serverId);
  return await comeBack(fixture, fixture.authority.consent(url), cookie);
}

export const refresh = async (fixture: SignInFixture, serverId: string): Promise<Answer['body']> =>
  (await asAdmin(fixture, 'POST', `${serversPath}/${serverId}/refresh`)).body;
