import { copyFile, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { type Engine, type Output, root } from './engine.ts';

const startWithinMs = 240_000;

/** An installation by the compose file, with volumes, containers and ports of its own. */
export class Installation {
  readonly gatewayUrl: string;
  readonly sandboxUrl: string;
  readonly sandboxPort: string;
  readonly #engine: Engine;
  readonly #name: string;
  #env: Record<string, string>;
  readonly #folder: string;

  /** `env` stands in its `.env`. */
  constructor(
    engine: Engine,
    { name, port, env = {} }: { name: string; port: number; env?: Record<string, string> },
  ) {
    this.#engine = engine;
    this.#name = `botyard-${name}`;
    this.#folder = join(root, '.data', 'test-deploy', name);
    this.#env = { PORT: String(port), SANDBOX_PORT: String(port + 1), ...env };
    this.sandboxPort = String(port + 1);
    this.gatewayUrl = `http://127.0.0.1:${port}`;
    this.sandboxUrl = `http://127.0.0.1:${port + 1}`;
  }

  /** Puts settings into its `.env`. */
  async set(env: Record<string, string>): Promise<void> {
    this.#env = { ...this.#env, ...env };
    await this.#writeFiles();
  }

  /** `docker compose …` of this installation. */
  async compose(...args: string[]): Promise<Output> {
    return await this.#engine.docker([
      'compose',
      '--project-name',
      this.#name,
      '--file',
      `${this.#place}/docker-compose.yml`,
      ...args,
    ]);
  }

  /** Builds nothing: the images are those of `buildImages`. */
  async up(...args: string[]): Promise<Output> {
    await this.#writeFiles();
    return await this.compose('up', '--detach', '--no-build', ...args);
  }

  /** @throws Error with the last health response. */
  async waitUntilHealthy(): Promise<void> {
    let said = '';
    const isHealthy = async () => {
      const answer = await fetch(`${this.gatewayUrl}/api/health`).catch((error: Error) => error);
      said = answer instanceof Error ? answer.message : await answer.text().catch(String);
      return answer instanceof Response && answer.ok;
    };
    await eventually('every service is ready', isHealthy, { timeoutMs: startWithinMs, everyMs: 500 }).catch(
      (error: Error) => {
        throw new Error(`${error.message}: ${said}`, { cause: error });
      },
    );
  }

  async waitForDemo(): Promise<void> {
    await eventually('the demo is made', async () => (await this.stateOf('demo')).startsWith('exited 0'), {
      timeoutMs: startWithinMs,
    });
  }

  /** `running`, or `exited` with its code. */
  async stateOf(service: string): Promise<string> {
    const { stdout } = await this.compose('ps', '--all', '--format', '{{.State}} {{.ExitCode}}', service);
    return stdout.trim();
  }

  /** Ids of the containers of a service. */
  async containersOf(service: string): Promise<string[]> {
    const { stdout } = await this.compose('ps', '--quiet', service);
    return stdout.split('\n').filter((line) => line !== '');
  }

  /** Containers and volumes, those of an earlier run that was ended included. */
  async remove(): Promise<void> {
    await this.#writeFiles();
    await this.compose('down', '--volumes', '--timeout', '5');
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #writeFiles(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const lines = Object.entries(this.#env).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(join(this.#folder, '.env'), lines.join(''));
    await copyFile(join(root, 'docker-compose.yml'), join(this.#folder, 'docker-compose.yml'));
    const included = join('deploy', 'compose');
    await cp(join(root, included), join(this.#folder, included), { recursive: true });
  }

  get #place(): string {
    return relative(root, this.#folder);
  }
}

/** Builds the images as the compose file says, once for all tests. */
export async function buildImages(engine: Engine): Promise<void> {
  await engine.docker(['compose', 'build']);
}
