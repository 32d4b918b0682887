import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { readUnlessStreaming } from '@botyard/testing/read-unless-streaming';
import type pg from 'pg';
import { LauncherProcess, type RunFile } from '../launcher-process.ts';

type DemoBot = NonNullable<RunFile['demoBot']>;

/** Asks again while the answer is that a busy machine has no connection for it. */
export async function askUntilAnswered(
  url: string,
  init: RequestInit = {},
): Promise<{ status: number; text: string }> {
  return await eventually(`${init.method ?? 'GET'} ${url} is answered`, async () => {
    const answer = await fetch(url, { redirect: 'manual', ...init });
    const text = await readUnlessStreaming(answer);
    return answer.status === 503 ? undefined : { status: answer.status, text };
  });
}

/** `npm start` with every router switched on, as somebody has it on their machine while they browse the web. */
export class LocalInstallation {
  readonly gatewayUrl: string;
  readonly sandboxUrl: string;
  readonly demo: DemoBot;
  readonly #launcher: LauncherProcess;

  private constructor(launcher: LauncherProcess, { gatewayUrl, sandboxUrl, demoBot }: RunFile) {
    if (!sandboxUrl || !demoBot) throw new Error(`there is no sandbox or no demo bot: ${launcher.output}`);
    this.gatewayUrl = gatewayUrl;
    this.sandboxUrl = sandboxUrl;
    this.demo = demoBot;
    this.#launcher = launcher;
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<LocalInstallation> {
    const launcher = await LauncherProcess.start({
      NODE_ENV: 'development',
      TOOL_INTEGRATIONS_ENABLED: 'true',
      CONSOLE_BUILD: 'false',
      ...env,
    });
    const run = await launcher.readRun();
    if (!run) throw new Error('the launcher wrote no run.json');
    return new LocalInstallation(launcher, run);
  }

  /** The identifiers of the demo tenant that a path of the API may contain. */
  get resources(): Record<'tenantId' | 'botId' | 'agentId' | 'integrationId', string> {
    const { tenantId, botId, agentId, integrationId } = this.demo;
    return { tenantId, botId, agentId, integrationId };
  }

  get dataDir(): string {
    return this.#launcher.dataDir;
  }

  /** Looks into the database as its owner, past every policy. */
  async asOwner<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    return await this.#launcher.asOwner<Row>(text);
  }

  get gatewayPort(): string {
    return new URL(this.gatewayUrl).port;
  }

  get sandboxPort(): string {
    return new URL(this.sandboxUrl).port;
  }

  /** The token of the demo's mailbox and bot, which no outsider knows. */
  async demoBotToken(): Promise<string> {
    const secrets = await readFile(join(this.#launcher.dataDir, 'secrets.json'), 'utf8');
    return (JSON.parse(secrets) as { demoBotToken: string }).demoBotToken;
  }

  /** A session of one of the sandbox's people. */
  async tokenOf(userId: string): Promise<string> {
    const answer = await fetch(`${this.sandboxUrl}/api/session-token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ userId }),
    });
    return ((await answer.json()) as { token: string }).token;
  }

  /** As somebody at this machine sees it. */
  async get(path: string): Promise<{ status: number; body: unknown }> {
    const { status, text } = await askUntilAnswered(
      `${path.startsWith('http') ? '' : this.gatewayUrl}${path}`,
    );
    return { status, body: JSON.parse(text) as unknown };
  }

  /** A call in the demo tenant by somebody at this machine. @throws when it isn't answered with a success. */
  async api<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const { status, text } = await askUntilAnswered(`${this.gatewayUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-tenant-id': this.demo.tenantId },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Body;
  }

  /** An app of the demo bot's, from the first template. */
  async installApp(): Promise<void> {
    const templates = await this.api<{ templateId: string }[]>('GET', '/api/admin/apps/templates');
    const body = { templateId: templates[0]?.templateId, botId: this.demo.botId };
    await this.api('POST', '/api/admin/apps/install', body);
  }

  /** The first of a list. */
  async firstOf(path: string): Promise<Record<string, unknown> | undefined> {
    return (await this.api<Record<string, unknown>[]>('GET', path))[0];
  }

  /** Everything that an attacker may want to change. Two of these are the same when nobody got through between them. */
  async snapshot(): Promise<Record<string, unknown>> {
    const { tenantId, botId } = this.demo;
    const places = {
      tenants: '/api/bots/tenants',
      members: `/api/bots/tenants/${tenantId}/members`,
      bots: `/api/bots/tenants/${tenantId}`,
      integrations: `/api/bots/${tenantId}/${botId}/integrations`,
      keys: `/api/keys/${tenantId}`,
      documents: '/api/context-sources',
      agents: '/api/definitions/agents',
      restart: '/api/system/services/usage/restart',
      chats: '/api/interactions/chats',
      sandboxBots: `${this.sandboxUrl}/api/bots`,
      sandboxMail: `${this.sandboxUrl}/api/mail`,
      sandboxChats: `${this.sandboxUrl}/api/bots/${(await this.demoBotToken()).split(':')[0]}/chats/1/messages`,
    };
    const seen = await Promise.all(
      Object.entries(places).map(async ([name, path]) => [name, await this.get(path)] as const),
    );
    return { ...Object.fromEntries(seen), pids: (await this.#launcher.readRun())?.pids };
  }

  async stop(): Promise<void> {
    await this.#launcher.stop();
  }
}
