import { join } from 'node:path';
import { restartExitCode } from '@botyard/shared/system/process-contract';
import { freePorts } from '../embedded/free-port.ts';
import { StartError } from '../embedded/start-error.ts';
import { buildConsole } from './processes/console.ts';
import { waitForHealth } from './processes/health.ts';
import { migrate } from './processes/migrate.ts';
import { startNodeProcess } from './processes/node-process.ts';
import { gatewayPort, preferredPort } from './processes/port-check.ts';
import { createProcessList, endLeftovers, removeFile, writeJson } from './processes/run-file.ts';
import { sandboxUnit } from './processes/sandbox.ts';
import { keepNats, keepPostgres } from './processes/servers.ts';
import { watchSources } from './processes/source-watch.ts';
import { Supervisor } from './processes/supervisor.ts';
import { toolServerUnit } from './processes/tool-server.ts';
import { type DemoBot, keepDemo } from './seed.ts';
import { lockDataDir, prepareDataDir } from './settings/data-dir.ts';
import { demoFake } from './settings/fakes.ts';
import { loadSecrets, type Secrets } from './settings/secrets.ts';
import { serviceEnv, type Wiring } from './settings/service-env.ts';
import {
  domainServices,
  isSourceOf,
  type ServiceName,
  serviceNames,
  sourceFolders,
} from './settings/services.ts';
import type { LauncherSettings } from './settings/settings.ts';
import { announce } from './terminal/announce.ts';
import { createOutput, type Output } from './terminal/output.ts';
import type { Terminal } from './terminal/terminal.ts';

interface LaunchOptions {
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  settings: LauncherSettings;
  terminal: Terminal;
  /** True to restart a service when its sources change. */
  watches: boolean;
}

/** One run of all processes. It is started once and stopped once. */
export class Launch {
  readonly #options: LaunchOptions;
  readonly #supervisor: Supervisor;
  readonly #output: Output;
  /** Rejects if a service fails permanently during the start. */
  readonly #surrender = Promise.withResolvers<never>();
  /** Cleanup steps, which run in reverse order at the end. */
  readonly #undo: (() => void)[] = [];
  readonly #ending = new AbortController();
  #processes: ReturnType<typeof createProcessList> | undefined;
  #writeRunFile: (() => void) | undefined;

  constructor(options: LaunchOptions) {
    this.#options = options;
    const { terminal, settings } = options;
    this.#output = createOutput(settings.dataDir, { terminal, isUp: () => this.#writeRunFile !== undefined });
    this.#surrender.promise.catch(() => {});
    this.#supervisor = new Supervisor({
      onStart: (name, pid) => {
        this.#writeRunFile?.();
        void this.#processes?.add(name, pid);
      },
      onDeath: (name, code, isResting) => this.#noteDeath(name, code, isResting),
      onFailedRestart: (name, error) => terminal.from(name, `restart failed, retrying: ${error.message}`),
    });
  }

  get isStopping(): boolean {
    return this.#supervisor.isStopping;
  }

  /** Resolves when everything is up. @throws StartError */
  async start(): Promise<void> {
    await Promise.race([this.#start(), this.#surrender.promise]);
  }

  /** Stops the gateway first, so that accepted requests are still answered, and the servers last. */
  async stop(): Promise<void> {
    this.#ending.abort();
    this.#supervisor.beginStop();
    await this.#supervisor.stop(['gateway']);
    await this.#supervisor.stop(domainServices);
    await this.#supervisor.stop(['sandbox', 'tool-server']);
    await this.#supervisor.stop(['nats', 'postgres']);
    await this.#output.close();
    for (const undo of this.#undo.toReversed()) undo();
  }

  kill(): void {
    this.#ending.abort();
    this.#supervisor.killAll();
  }

  async #start(): Promise<void> {
    const { settings, terminal, env } = this.#options;
    const begin = performance.now();
    await prepareDataDir(settings.dataDir);
    const lock = lockDataDir(settings.dataDir);
    this.#undo.push(() => lock.release());
    await endLeftovers(settings.dataDir, terminal.say);
    const port = await gatewayPort(settings.port, settings.host);
    this.#processes = createProcessList(settings.dataDir);
    this.#undo.push(this.#processes.clear);
    const secrets = await loadSecrets(settings.dataDir);
    const toolServerUrl = await this.#startToolServer(port);
    const servers = await this.#startServers(secrets, { port, toolServerUrl });
    const ports = await servicePorts();
    const wiring = { env, settings, secrets, gatewayPort: port, ports, toolServerUrl, ...servers };
    await Promise.all(serviceNames.map((name) => this.#startService(name, wiring)));
    const gatewayUrl = `http://127.0.0.1:${port}`;
    await waitForHealth(gatewayUrl, () => this.isStopping);
    if (this.isStopping) return;
    const demoBot = await this.#demo(gatewayUrl, wiring);
    this.#keepRunFile(gatewayUrl, wiring.sandboxUrl, demoBot);
    announce({
      terminal,
      settings,
      port,
      sandboxUrl: wiring.sandboxUrl,
      toolServerUrl: wiring.toolServerUrl,
      demoBot,
      seconds: (performance.now() - begin) / 1000,
    });
    if (settings.buildsConsole) this.#buildConsole();
    if (this.#options.watches) this.#watch();
  }

  /** Builds the console in the background, after everything else has started. */
  #buildConsole(): void {
    const { root, terminal } = this.#options;
    const build = buildConsole(root, (line) => terminal.from('console', line));
    this.#ending.signal.addEventListener('abort', () => void build.stop());
  }

  #watch(): void {
    const { root, terminal } = this.#options;
    const onChange = (paths: string[]) => {
      const names = serviceNames.filter((name) => paths.some((path) => isSourceOf(name, path)));
      const others = paths.length > 1 ? ` and ${paths.length - 1} more` : '';
      terminal.say(`restarting ${names.join(', ')}: ${paths[0]}${others} changed`);
      for (const name of names) void this.#supervisor.restart(name);
    };
    const onFault = (error: Error) =>
      terminal.complain(
        `sources are not watched (${error.message}): restart services yourself after a change`,
      );
    watchSources({ root, folders: sourceFolders, onChange, onFault }, this.#ending.signal);
    terminal.say('watching sources: a service restarts when its sources change');
  }

  async #startServers(
    secrets: Secrets,
    { port, toolServerUrl }: { port: number; toolServerUrl: string | undefined },
  ): Promise<Pick<Wiring, 'ownerUrl' | 'nats' | 'sandboxUrl'>> {
    const { settings, root, terminal } = this.#options;
    const context = { settings, secrets, supervisor: this.#supervisor };
    const migrated = async () => {
      const ownerUrl = await keepPostgres({ ...context, log: this.#output.server('postgres') });
      const passwords = secrets.postgres as Record<(typeof domainServices)[number], string>;
      const readerPassword = secrets.postgres.reader;
      await migrate(root, { ownerUrl, passwords, readerPassword });
      return ownerUrl;
    };
    const [ownerUrl, nats, sandboxUrl] = await Promise.all([
      migrated(),
      keepNats(
        { ...context, log: this.#output.server('nats') },
        { say: (line) => terminal.from('nats', line), until: this.#ending.signal },
      ),
      this.#startSandbox(port, toolServerUrl),
    ]);
    return { ownerUrl, nats, sandboxUrl };
  }

  /** Runs an MCP server for trials where external tools are on. Its address stays the same across restarts. */
  async #startToolServer(gatewayPort: number): Promise<string | undefined> {
    if (!this.#options.settings.runsToolServer) return undefined;
    const port = await preferredPort(gatewayPort + 2);
    const onLine = this.#output.service('tool-server');
    await this.#supervisor.keep(toolServerUnit({ root: this.#options.root, port, onLine }));
    return `http://127.0.0.1:${port}/mcp`;
  }

  async #startSandbox(gatewayPort: number, toolServerUrl: string | undefined): Promise<string | undefined> {
    const { settings, root, env } = this.#options;
    if (settings.sandbox.length === 0) return undefined;
    let address = '';
    const options = {
      root,
      env,
      port: await preferredPort(gatewayPort + 1),
      gatewayUrl: `http://127.0.0.1:${gatewayPort}`,
      toolServerUrl,
      platforms: settings.sandbox,
      dataDir: settings.dataDir,
      onLine: this.#output.service('sandbox'),
    };
    await this.#supervisor.keep(
      sandboxUnit(options, (url) => {
        address = url.replace(/\/+$/, '');
      }),
    );
    return address;
  }

  async #startService(name: ServiceName, wiring: Wiring): Promise<void> {
    const options = {
      script: `services/${name}/src/main.ts`,
      cwd: this.#options.root,
      env: serviceEnv(name, wiring),
      onLine: this.#output.service(name),
    };
    const restsAfterFault = this.#options.watches;
    await this.#supervisor.keep({ name, restsAfterFault, start: async () => startNodeProcess(options) });
  }

  /** Creates the demo bot. A failure doesn't stop the start. */
  async #demo(gatewayUrl: string, { settings, secrets, sandboxUrl }: Wiring): Promise<DemoBot | undefined> {
    if (sandboxUrl === undefined || !settings.sandbox.includes(demoFake) || !settings.isAuthOff)
      return undefined;
    const { dataDir } = settings;
    try {
      const botToken = secrets.demoBotToken;
      const fakes = new Set<string>(settings.sandbox);
      return await keepDemo(gatewayUrl, { dataDir, botToken, sandboxUrl, fakes });
    } catch (error) {
      this.#options.terminal.complain(
        `the demo bot could not be created; the next start retries: ${(error as Error).message}`,
      );
      return undefined;
    }
  }

  #keepRunFile(gatewayUrl: string, sandboxUrl: string | undefined, demoBot: DemoBot | undefined): void {
    const file = join(this.#options.settings.dataDir, 'run.json');
    const names = ['postgres', 'nats', 'sandbox', 'tool-server', ...serviceNames];
    this.#writeRunFile = () => {
      const pids = Object.fromEntries(names.map((name) => [name, this.#supervisor.pidOf(name)]));
      writeJson(file, { gatewayUrl, sandboxUrl, demoBot, pids: { launcher: process.pid, ...pids } });
    };
    this.#writeRunFile();
    this.#undo.push(() => removeFile(file));
  }

  /** During the start, an exit code means that the service rejects its settings, so it is not restarted. */
  #noteDeath(name: string, code: number | null, isResting: boolean): void {
    const isStarting = this.#writeRunFile === undefined;
    if (isStarting && code !== null && code !== 0 && code !== restartExitCode) {
      const said = this.#output.lastWords(name) ?? `it exited with code ${code}; see its log in DATA_DIR`;
      this.#surrender.reject(
        new StartError(said.startsWith(`${name}: `) ? said : `${name} doesn't start: ${said}`),
      );
      return;
    }
    const how =
      code === restartExitCode ? 'restarts' : code === null ? 'was killed' : `exited with code ${code}`;
    const next = isResting ? 'restarting when its sources change' : 'restarting';
    this.#options.terminal.from(name, code === restartExitCode ? how : `${how}, ${next}`);
  }
}

async function servicePorts(): Promise<Record<ServiceName, number>> {
  const ports = await freePorts(serviceNames.length);
  return Object.fromEntries(serviceNames.map((name, index) => [name, ports[index]])) as Record<
    ServiceName,
    number
  >;
}
