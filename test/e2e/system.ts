import { eventually } from '@botyard/testing/eventually';
import { type FakeMessenger, startFakeMessenger } from '@botyard/testing/fake-messenger';
import { type FakeModel, startFakeModel } from '@botyard/testing/fake-model';
import { readUnlessStreaming } from '@botyard/testing/read-unless-streaming';
import type pg from 'pg';
import { LauncherProcess, type RunFile } from './launcher-process.ts';

interface ApiOptions {
  body?: unknown;
  status?: number;
}

/** The whole system as `npm start` runs it: real processes, Postgres and NATS; only the platforms outside are fakes. */
export class System {
  readonly messenger: FakeMessenger;
  readonly model: FakeModel;
  readonly gatewayUrl: string;
  readonly #launcher: LauncherProcess;

  private constructor(parts: {
    messenger: FakeMessenger;
    model: FakeModel;
    launcher: LauncherProcess;
    run: RunFile;
  }) {
    this.messenger = parts.messenger;
    this.model = parts.model;
    this.gatewayUrl = parts.run.gatewayUrl;
    this.#launcher = parts.launcher;
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<System> {
    const rules = { acceptAnyToken: true, limitsWebhookRate: false, retryScale: 0.05 };
    const [messenger, model] = await Promise.all([startFakeMessenger(rules), startFakeModel()]);
    const launcher = await LauncherProcess.start({
      MESSENGER_API_URL: messenger.url,
      PRIVATE_LLM_BASE_URL: model.url,
      DATABASE_ACQUIRE_TIMEOUT_MS: '30000',
      ...env,
    });
    const run = await launcher.readRun();
    if (!run) throw new Error('the launcher wrote no run.json');
    return new System({ messenger, model, launcher, run });
  }

  /** The folder in which the launcher and the servers keep their data. */
  get dataDir(): string {
    return this.#launcher.dataDir;
  }

  /** Calls the API as the development principal. @throws when the status isn't the expected one. */
  async api<Body = Record<string, unknown>>(
    method: string,
    path: string,
    { body, status }: ApiOptions = {},
  ): Promise<Body> {
    const content =
      body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await fetch(`${this.gatewayUrl}${path}`, { method, ...content });
    const text = await readUnlessStreaming(response);
    const expected = status ?? (method === 'POST' ? 201 : method === 'DELETE' ? 204 : 200);
    if (response.status !== expected) {
      throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    }
    return (text === '' ? undefined : JSON.parse(text)) as Body;
  }

  /** Kills a service, `postgres` or `nats` as nothing can be caught, and waits until another one is in its place. */
  async kill(name: string): Promise<void> {
    const pid = await this.#pidOf(name);
    process.kill(pid, 'SIGKILL');
    await eventually(`${name} runs again`, async () => (await this.#pidOf(name)) !== pid);
  }

  async healthy(): Promise<void> {
    const isHealthy = async () =>
      (await fetch(`${this.gatewayUrl}/api/health`).catch(() => undefined))?.status === 200;
    await eventually('the system is healthy', isHealthy);
  }

  /** Looks into the database as its owner, past every policy. */
  async asOwner<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    return await this.#launcher.asOwner<Row>(text);
  }

  /** The processes, by their names. */
  async pids(): Promise<Record<string, number>> {
    return (await this.#launcher.readRun())?.pids ?? {};
  }

  /** The services' log output. */
  get output(): string {
    return this.#launcher.output;
  }

  async stop(): Promise<number | null> {
    const code = await this.#launcher.stop();
    await Promise.all([this.messenger.close(), this.model.close()]);
    return code;
  }

  async #pidOf(name: string): Promise<number> {
    const pid = (await this.pids())[name];
    if (!pid) throw new Error(`no process ${name}`);
    return pid;
  }
}
