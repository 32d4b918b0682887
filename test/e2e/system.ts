import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@botyard/shared/testing/eventually';
import { type FakeMessenger, startFakeMessenger } from '@botyard/shared/testing/fake-messenger';
import { type FakeModel, startFakeModel } from '@botyard/shared/testing/fake-model';

const root = fileURLToPath(new URL('../..', import.meta.url));
const upWithinMs = 60_000;

interface RunFile {
  gatewayUrl: string;
  pids: Record<string, number>;
}

/** The whole system as `npm start` runs it: real processes, Postgres and NATS; only the platforms outside are fakes. */
export interface System {
  messenger: FakeMessenger;
  model: FakeModel;
  gatewayUrl: string;
  /** Calls the API as the development principal. @throws when the status isn't the expected one. */
  api<Body = Record<string, unknown>>(method: string, path: string, options?: ApiOptions): Promise<Body>;
  /** Present process id of a service, Postgres (`postgres`) or nats-server (`nats`). */
  pidOf(name: string): Promise<number>;
  /** Kills a process as nothing can be caught, and waits until the launcher has another one in its place. */
  kill(name: string): Promise<void>;
  healthy(): Promise<void>;
  stop(): Promise<number | null>;
}

interface ApiOptions {
  body?: unknown;
  status?: number;
}

export async function startSystem(env: Readonly<Record<string, string>> = {}): Promise<System> {
  const dataDir = await mkdtemp(join(tmpdir(), 'botyard-e2e-'));
  await chmod(dataDir, 0o711);
  const messenger = await startFakeMessenger({
    acceptAnyToken: true,
    limitsWebhookRate: false,
    retryScale: 0.05,
  });
  const model = await startFakeModel({});
  const launcher = spawn(process.execPath, [join(root, 'tools/launcher/main.ts')], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      PORT: '0',
      DATA_DIR: dataDir,
      MESSENGER_API_URL: messenger.url,
      PRIVATE_LLM_BASE_URL: model.url,
      DATABASE_ACQUIRE_TIMEOUT_MS: '5000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [launcher.stdout, launcher.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = once(launcher, 'close').then(([code]) => code as number | null);
  const readRun = async (): Promise<RunFile | undefined> => {
    const text = await readFile(join(dataDir, 'run.json'), 'utf8').catch(() => undefined);
    return text ? (JSON.parse(text) as RunFile) : undefined;
  };
  const stop = async () => {
    launcher.kill('SIGTERM');
    const code = await exited;
    await Promise.all([messenger.close(), model.close()]);
    await rm(dataDir, { recursive: true, force: true });
    return code;
  };
  const run = await eventually(
    'the system is up',
    () => (launcher.exitCode === null ? readRun() : undefined),
    {
      timeoutMs: upWithinMs,
    },
  ).catch(async (error: unknown) => {
    await stop();
    throw new Error(`the system did not come up: ${output}`, { cause: error });
  });
  const pidOf = async (name: string) => {
    const pid = (await readRun())?.pids[name];
    if (!pid) throw new Error(`no process ${name}`);
    return pid;
  };
  const healthy = async () => {
    await eventually(
      'the system is healthy',
      async () => (await fetch(`${run.gatewayUrl}/api/health`).catch(() => undefined))?.status === 200,
      { timeoutMs: 30_000 },
    );
  };
  return {
    messenger,
    model,
    gatewayUrl: run.gatewayUrl,
    pidOf,
    healthy,
    stop,
    kill: async (name) => {
      const pid = await pidOf(name);
      process.kill(pid, 'SIGKILL');
      await eventually(`${name} runs again`, async () => (await pidOf(name)) !== pid, { timeoutMs: 20_000 });
    },
    api: (method, path, options) => callApi(`${run.gatewayUrl}${path}`, method, options),
  };
}

async function callApi<Body>(url: string, method: string, { body, status }: ApiOptions = {}): Promise<Body> {
  const response = await fetch(url, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  const expected = status ?? (method === 'POST' ? 201 : method === 'DELETE' ? 204 : 200);
  if (response.status !== expected) throw new Error(`${method} ${url} answered ${response.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Body;
}
