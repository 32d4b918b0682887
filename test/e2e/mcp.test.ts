import {
  auth,
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts } from '../../tools/embedded/free-port.ts';
import { LocalInstallation } from './attack/local-installation.ts';
import { runConformance } from './conformance-suite.ts';

let installation: LocalInstallation;

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  installation = await LocalInstallation.start({
    PORT: String(port),
    PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
    IDP_ACCESS_TOKENS: 'true',
  });
});
afterAll(() => installation?.stop());

type Registered = NonNullable<Awaited<ReturnType<OAuthClientProvider['clientInformation']>>>;
type Tokens = NonNullable<Awaited<ReturnType<OAuthClientProvider['tokens']>>>;

/** Keeps what a client on a desktop keeps, and notes where it would send the browser. */
class Desktop implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:9/callback';
  #client: Registered | undefined;
  #tokens: Tokens | undefined;
  #verifier = '';
  page: URL | undefined;

  readonly #scope: string;

  constructor(scope: string) {
    this.#scope = scope;
  }

  get clientMetadata() {
    return { client_name: 'Desktop', redirect_uris: [this.redirectUrl], scope: this.#scope };
  }
  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: Registered) {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: Tokens) {
    this.#tokens = tokens;
  }
  redirectToAuthorization(page: URL) {
    this.page = page;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
}

/** Signs in as a person of the sandbox, on the page to which the client sends them. */
async function connect(person: string, scope = 'botyard:read botyard:write'): Promise<Client> {
  const serverUrl = `${installation.gatewayUrl.replace('localhost', '127.0.0.1')}/api/mcp`;
  const provider = new Desktop(scope);
  expect(await auth(provider, { serverUrl, scope })).toBe('REDIRECT');
  const init = { method: 'POST', body: new URLSearchParams({ person }), redirect: 'manual' } as const;
  const consent = await fetch(provider.page!, init);
  const callback = new URL(consent.headers.get('location')!).searchParams;
  const authorizationCode = callback.get('code')!;
  expect(await auth(provider, { serverUrl, authorizationCode, iss: callback.get('iss')! })).toBe(
    'AUTHORIZED',
  );
  const client = new Client({ name: 'desktop', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: provider }));
  return client;
}

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]!.text;

test('a public client signs in with PKCE, lists chats and tries an agent', async () => {
  const client = await connect('user_admin');
  const chats = await client.callTool({ name: 'list_chats', arguments: {} });
  expect(chats.isError, textOf(chats)).toBeFalsy();
  expect(JSON.parse(textOf(chats))).toEqual(expect.any(Array));
  const trial = await client.callTool({
    name: 'try_agent',
    arguments: { agentId: installation.demo.agentId, messages: [{ role: 'user', text: 'hello' }] },
  });
  expect(trial.isError, textOf(trial)).toBeFalsy();
  expect(textOf(trial)).toContain('I understood');
  await client.close();
});

test('a person of another tenant sees nothing of this one, and a reading client changes nothing', async () => {
  const neighbour = await connect('user_neighbour');
  const agent = await neighbour.callTool({
    name: 'get_agent_definition',
    arguments: { id: installation.demo.agentId },
  });
  expect(agent.isError).toBe(true);
  await neighbour.close();
  const reader = await connect('user_admin', 'botyard:read');
  const { tools } = await reader.listTools();
  expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
  await reader.close();
});

/** Every scenario of the suite that needs no tools of its own; the others are run with such tools (`mcp-server`). */
const scenarios = {
  '2025-11-25': [
    'server-initialize',
    'server-session-lifecycle',
    'ping',
    'tools-list',
    'dns-rebinding-protection',
    'server-sse-multiple-streams',
  ],
  '2026-07-28': [
    'tools-list',
    'dns-rebinding-protection',
    'http-header-validation',
    'server-sse-multiple-streams',
    'input-required-result-unsupported-methods',
    'sep-2164-resource-not-found',
  ],
};
test.each(
  Object.entries(scenarios).flatMap(([version, names]) => names.map((name) => [version, name] as const)),
)('conformance with %s: %s', async (version, name) => {
  const url = `${installation.gatewayUrl}/api/mcp`;
  const options = ['--url', url, '--scenario', name, '--spec-version', version];
  const { code, output } = await runConformance(['server', ...options]);
  expect(code, output).toBe(0);
  expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed/);
});
