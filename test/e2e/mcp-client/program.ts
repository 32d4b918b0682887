/**
 * `node program.ts <address>` is the client for the suite of conformance: the code with which agents read the tools of
 * a server and call them, and with which an admin signs in to it. The suite says in the environment what it plays.
 */
import { createEgress, type Egress } from '@botyard/shared/http/egress/egress';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { exchangeCode } from '../../../services/agents/src/mcp/clients/authorization-server.ts';
import { callTool } from '../../../services/agents/src/mcp/clients/server-call.ts';
import {
  readTools,
  type ServerAddress,
  VisitError,
} from '../../../services/agents/src/mcp/clients/server-visit.ts';
import { prepareSignIn } from '../../../services/agents/src/mcp/domain/begin-sign-in.ts';
import { pinTool } from '../../../services/agents/src/mcp/domain/definition.ts';
import { redirectUriOf, sealClientSecret } from '../../../services/agents/src/mcp/domain/oauth-client.ts';

interface Context {
  client_id?: string;
  client_secret?: string;
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
}

interface Listed {
  name: string;
  inputSchema: { properties?: Record<string, { type?: string }> };
}

const [, , url = ''] = process.argv;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Context;
const publicBaseUrl = 'https://botyard.example.com';
const keyring = Keyring.parse(`test:${'A'.repeat(43)}`);
const maxSignIns = 3;

/** The operator lets the ports of this machine through, as soon as they are used: the suite chooses them. */
const allowedHosts: string[] = [];
const guardFor = (address: string): Egress => {
  const { host, hostname } = new URL(address);
  if (hostname === 'localhost' || hostname === '127.0.0.1') allowedHosts.push(host);
  return createEgress({ allowedHosts });
};
const egress: Egress = {
  request: (address, request) => guardFor(address).request(address, request),
  stream: (address, request, read) => guardFor(address).stream(address, request, read),
};

/** The record of a server, as an admin has just saved it. */
async function savedServer() {
  const { client_id: clientId = null, client_secret: secret } = context;
  const names = { tenantId: 'tenant', serverId: 'server', origin: new URL(url).origin, clientId };
  const sealedClientSecret = secret === undefined ? null : await sealClientSecret(keyring, secret, names);
  return { ...names, url, issuer: null, sealedClientSecret };
}

/** Signs in as an admin does whose browser opens the page and comes back. */
async function signIn(): Promise<Record<string, string>> {
  const config = { EGRESS_ALLOWED_HOSTS: allowedHosts };
  const page = await prepareSignIn({ config, egress, keyring, publicBaseUrl }, await savedServer());
  page.url.searchParams.set('state', 'state-of-the-browser');
  const answer = await fetch(page.url, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? 'none:');
  const iss = back.searchParams.get('iss') ?? undefined;
  const code = back.searchParams.get('code') ?? '';
  const { codeVerifier } = page.begun;
  const redirectUri = redirectUriOf(publicBaseUrl);
  const tokens = await exchangeCode(egress, page.begun, { code, iss, codeVerifier, redirectUri });
  return { authorization: `Bearer ${tokens.access_token}` };
}

const sampleOf = ({ type }: { type?: string }): unknown => {
  if (type === 'number' || type === 'integer') return 5;
  return type === 'boolean' ? true : 'text';
};

const argumentsOf = ({ properties = {} }: Listed['inputSchema']): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sampleOf(schema)]));

/** Reads the tools, and calls those that an admin could allow. */
async function useTools(headers: Record<string, string>): Promise<void> {
  const address: ServerAddress = { url, origin: new URL(url).origin, headers, timeoutMs: 10_000 };
  const { tools } = await readTools(egress, address, { maxTools: 1000 });
  const usable = (tools as Listed[]).filter((tool) => pinTool(tool).refusal === null);
  const calls =
    context.toolCalls ??
    usable.map(({ name, inputSchema }) => ({ name, arguments: argumentsOf(inputSchema) }));
  for (const { name, arguments: input } of calls) {
    const tool = usable.find((one) => one.name === name);
    if (!tool) continue;
    const result = await callTool(egress, address, {
      name,
      arguments: input,
      inputSchema: { ...tool.inputSchema },
    });
    process.stdout.write(`${name}: ${JSON.stringify(result)}\n`);
  }
}

let headers: Record<string, string> = {};
for (let signIns = 0; ; signIns += 1) {
  try {
    await useTools(headers);
    break;
  } catch (error) {
    if (!(error instanceof VisitError) || error.fault !== 'unauthorized' || signIns >= maxSignIns)
      throw error;
    headers = await signIn();
  }
}
