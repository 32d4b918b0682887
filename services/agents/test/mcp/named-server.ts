import { FakeMcpServer } from '@botyard/testing/fake/fake-mcp-server';
import { createAgent, createBot, startAgents, type TestBot } from '../agents-services.ts';
import {
  asAdmin,
  type IntegrationsFixture,
  openIntegrationsFixture,
  putRule,
} from '../integrations-fixture.ts';

export const serversPath = '/api/integrations/servers';

export interface ServerFixture extends IntegrationsFixture {
  server: FakeMcpServer;
  /** Another address that may be called. */
  second: FakeMcpServer;
  serverId: string;
  toolkit: string;
}

/** The agents' services, with a server of the tenant that the rules allow. Its tools have not been read. */
export async function openServerFixture(): Promise<ServerFixture> {
  const [server, second] = [await new FakeMcpServer().listen(), await new FakeMcpServer().listen()];
  const opened = await openIntegrationsFixture();
  await opened.agents.stop();
  const env = { ...opened.env, EGRESS_ALLOWED_HOSTS: `${server.host},${second.host}` };
  const fixture = { ...opened, env, agents: await startAgents(opened, env) };
  const serverId = await addServer(fixture, { name: 'Fake', url: server.url });
  const toolkit = `mcp-${serverId}`;
  await putRule(fixture, { effect: 'allow', toolkit });
  const close = async () => {
    await opened.close();
    await Promise.all([server.close(), second.close()]);
  };
  return { ...fixture, server, second, serverId, toolkit, close };
}

export async function addServer(
  fixture: IntegrationsFixture,
  { name, url }: { name: string; url: string },
): Promise<string> {
  const body = { name, url, timeoutMs: 2000 };
  const { status, body: server, text } = await asAdmin(fixture, 'POST', serversPath, body);
  if (status !== 201) throw new Error(`no server: ${status} ${text}`);
  return server.serverId;
}

/** Reads the server's tools, and allows all of them. */
export async function allowAll(
  fixture: IntegrationsFixture,
  serverId: string,
  decision: { readsOnly: boolean } = { readsOnly: true },
): Promise<void> {
  const own = `${serversPath}/${serverId}`;
  await asAdmin(fixture, 'POST', `${own}/refresh`);
  for (const { name, pin, state } of (await asAdmin(fixture, 'GET', `${own}/tools`)).body) {
    if (state === 'refused') continue;
    const body = { isAllowed: true, pin, ...decision };
    const { status, text } = await asAdmin(fixture, 'PUT', `${own}/tools/${name}`, body);
    if (status !== 200) throw new Error(`not allowed: ${status} ${text}`);
  }
}

/** A bot whose agent names these servers. */
export async function botWithServers(
  fixture: IntegrationsFixture,
  serverIds: readonly string[],
): Promise<TestBot> {
  const agentId = await createAgent(fixture, fixture.acme, { name: 'Clerk', serverIds });
  return await createBot(fixture, fixture.acme, { agentIds: [agentId] });
}
