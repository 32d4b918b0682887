import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { eventually } from '@botyard/testing/eventually';
import { freePorts } from '../../../tools/embedded/free-port.ts';
import { domainServices, type ServiceName, serviceNames } from '../../../tools/launcher/settings/services.ts';
import { root } from './engine.ts';

type Env = Readonly<Record<string, string>>;

export interface ProcessOptions {
  /** Ports that the platforms and their users know, where they have to be the same as before. */
  ports?: { gateway: number; sandbox: number } | undefined;
  /** Folder of the code that runs: that of this version by default. */
  code?: string;
}

/**
 * An installation of plain processes on this machine, with the settings that `tools/deploy` writes, and the sandbox.
 */
export class ProcessInstallation {
  readonly settingsDir: string;
  readonly gatewayUrl: string;
  readonly sandboxUrl: string;
  readonly #ports: number[];
  readonly #code: string;
  readonly #env: Env;
  readonly #ends: (() => Promise<unknown>)[] = [];
  readonly #services: { stop(): Promise<unknown> }[] = [];

  private constructor(settingsDir: string, ports: number[], env: Env, code: string) {
    this.settingsDir = settingsDir;
    this.#code = code;
    this.#ports = ports;
    this.gatewayUrl = `http://127.0.0.1:${ports[0]}`;
    this.sandboxUrl = `http://127.0.0.1:${ports[1]}`;
    this.#env = {
      NODE_ENV: 'development',
      SETTINGS_DIR: settingsDir,
      PORT: String(ports[0]),
      SANDBOX_URL: this.sandboxUrl,
      WEBHOOK_BASE_URL: this.gatewayUrl,
      // On a machine that is busy with tests, connecting takes longer than the default limit of 2 s.
      DATABASE_ACQUIRE_TIMEOUT_MS: '20000',
      ...env,
    };
  }

  /** `env` names the servers. */
  static async prepare(
    settingsDir: string,
    env: Env,
    { ports, code = root }: ProcessOptions = {},
  ): Promise<ProcessInstallation> {
    const free = await freePorts(2 + serviceNames.length);
    const own = ports ? [ports.gateway, ports.sandbox, ...free.slice(2)] : free;
    return new ProcessInstallation(settingsDir, own, env, code);
  }

  /** Runs `node tools/deploy/main.ts <command …>`. @throws with its output if it fails. */
  async deploy(command: string, env: Env = {}, ...args: string[]): Promise<string> {
    const file = join(this.#code, 'tools/deploy/main.ts');
    const options = { env: { ...this.#env, ...env } };
    return (await promisify(execFile)(process.execPath, [file, command, ...args], options)).stdout;
  }

  /** Starts all services with the sandbox and makes the demo bot. */
  async start(): Promise<void> {
    await this.startSandbox();
    await this.startServices();
    const demo = this.#spawn('tools/launcher/demo.ts', await this.#sandboxEnv());
    if ((await demo.ended) !== 0) throw new Error(`the demo was not made: ${demo.said()}`);
  }

  /** Starts the platforms with their stored state. */
  async startSandbox(): Promise<void> {
    this.#spawn('tools/sandbox/main.ts', await this.#sandboxEnv());
    await eventually(
      'the sandbox is there',
      async () => (await fetch(this.sandboxUrl).catch(() => undefined))?.ok,
      { timeoutMs: 120_000 },
    );
  }

  async #sandboxEnv(): Promise<Env> {
    return {
      ...(await this.#written('sandbox')),
      SANDBOX_DIR: join(this.settingsDir, 'sandbox'),
      GATEWAY_URL: this.gatewayUrl,
      // The demo stores its identifiers there.
      TMPDIR: join(this.settingsDir, 'sandbox'),
    };
  }

  /** Returns when all are ready. */
  async startServices(): Promise<void> {
    for (const name of serviceNames) this.#services.push(await this.startService(name));
    await this.waitUntilReady();
  }

  /** Returns when every service is ready. @throws with their output if they aren't within two minutes. */
  async waitUntilReady(): Promise<void> {
    await eventually(
      'every service is ready',
      async () => (await fetch(`${this.gatewayUrl}/api/health`).catch(() => undefined))?.ok,
      { timeoutMs: 300_000 },
    ).catch((error: unknown) => {
      throw new Error(this.#said.join(''), { cause: error });
    });
  }

  /** The platforms stay. */
  async stopServices(): Promise<void> {
    await Promise.all(this.#services.splice(0).map(({ stop }) => stop()));
  }

  /** Starts a service's process, optionally of other code; returns its end and its output. */
  async startService(name: ServiceName, env: Env = {}, code = this.#code) {
    const own = serviceNames.indexOf(name);
    const addresses = domainServices.map((service) => [
      `${service.toUpperCase()}_URL`,
      `http://127.0.0.1:${this.#ports[2 + serviceNames.indexOf(service)]}`,
    ]);
    const settings = {
      ...(await this.#written(name)),
      SERVICE_HOST: '127.0.0.1',
      SERVICE_PORT: String(this.#ports[2 + own]),
      MAIL_SPOOL_DIR: join(this.settingsDir, 'sandbox'),
      ...(name === 'gateway' ? { HOST: '127.0.0.1', ...Object.fromEntries(addresses) } : {}),
      ...env,
    };
    return this.#spawn(`services/${name}/src/main.ts`, settings, code);
  }

  /** One more process of a service, at a port of its own. It is ready when this returns. */
  async startBeside(name: ServiceName, code = this.#code) {
    const [port = 0, publicPort = 0] = await freePorts(2);
    const ownPorts = {
      SERVICE_PORT: String(port),
      ...(name === 'gateway' ? { PORT: String(publicPort) } : {}),
    };
    const started = await this.startService(name, ownPorts, code);
    await eventually(
      `one more of ${name} is ready`,
      async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok,
      { timeoutMs: 300_000 },
    );
    return started;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#ends.map((end) => end()));
  }

  readonly #said: string[] = [];

  #spawn(file: string, env: Env, code = this.#code) {
    const child = spawn(process.execPath, [join(code, file)], { stdio: ['ignore', 'pipe', 'pipe'], env });
    const own: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        own.push(text);
        this.#said.push(text);
      });
    const ended = once(child, 'close').then(([code]) => code as number | null);
    const stop = async () => {
      child.kill('SIGTERM');
      await ended;
    };
    this.#ends.push(stop);
    return { ended, stop, said: () => own.join('') };
  }

  async #written(name: string): Promise<Record<string, string>> {
    return parseEnv(await readFile(join(this.settingsDir, name, 'env'), 'utf8')) as Record<string, string>;
  }
}
