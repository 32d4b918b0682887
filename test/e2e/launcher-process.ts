import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@botyard/testing/eventually';
import pg from 'pg';

const root = fileURLToPath(new URL('../..', import.meta.url));
const upWithinMs = 110_000;

/** The launcher's file about its running processes. */
export interface RunFile {
  gatewayUrl: string;
  /** With the sandbox: in development only. */
  sandboxUrl?: string;
  demoBot?: { tenantId: string; botId: string; agentId: string; integrationId: string };
  pids: Record<string, number>;
}

interface StartOptions {
  /** Gets the data directory before anything is in it. */
  prepare?: (dataDir: string) => Promise<void>;
  /** The data directory; by default a new one. */
  dataDir?: string;
  /** The checkout to start; by default this one. */
  checkout?: string | undefined;
}

/** `npm start` without npm, in a data directory of its own. */
export class LauncherProcess {
  readonly dataDir: string;
  readonly #child: ReturnType<typeof spawn>;
  readonly #exited: Promise<number | null>;
  #output = '';

  private constructor(dataDir: string, env: Readonly<Record<string, string>>, checkout: string) {
    this.dataDir = dataDir;
    this.#child = spawn(process.execPath, [join(checkout, 'tools/launcher/main.ts')], {
      cwd: checkout,
      env: { PATH: process.env.PATH, NODE_ENV: 'test', PORT: '0', DATA_DIR: dataDir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
    this.#exited = once(this.#child, 'close').then(([code]) => code as number | null);
  }

  /** Resolves when everything is up. */
  static async start(
    env: Readonly<Record<string, string>>,
    { prepare, checkout = root, ...options }: StartOptions = {},
  ): Promise<LauncherProcess> {
    const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'botyard-e2e-')));
    // Under root Postgres runs as another user, who must be able to enter.
    await mkdir(dataDir, { recursive: true });
    await chmod(dataDir, 0o711);
    await prepare?.(dataDir);
    const launcher = new LauncherProcess(dataDir, env, checkout);
    const isUp = () => (launcher.#child.exitCode === null ? launcher.readRun() : undefined);
    await eventually('the system is up', isUp, { timeoutMs: upWithinMs }).catch(async (error: unknown) => {
      await launcher.stop();
      throw new Error(`the system did not come up: ${launcher.#output}`, { cause: error });
    });
    return launcher;
  }

  get output(): string {
    return this.#output;
  }

  async readRun(): Promise<RunFile | undefined> {
    const text = await readFile(join(this.dataDir, 'run.json'), 'utf8').catch(() => undefined);
    return text ? (JSON.parse(text) as RunFile) : undefined;
  }

  /** Looks into the database as its owner, past every policy. */
  async asOwner<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    const { ownerPassword } = JSON.parse(await readFile(join(this.dataDir, 'secrets.json'), 'utf8')) as {
      ownerPassword: string;
    };
    const pidFile = await readFile(join(this.dataDir, 'postgres', 'postmaster.pid'), 'utf8');
    const client = new pg.Client({
      host: '127.0.0.1',
      port: Number(pidFile.split('\n')[3]),
      user: 'botyard_owner',
      password: ownerPassword,
      database: 'botyard',
    });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Returns the launcher's exit code. */
  async stop({ keepsData = false }: { keepsData?: boolean } = {}): Promise<number | null> {
    this.#child.kill('SIGTERM');
    const code = await this.#exited;
    if (!keepsData) await this.removeData();
    return code;
  }

  async removeData(): Promise<void> {
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
