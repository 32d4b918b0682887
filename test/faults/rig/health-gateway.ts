import { Agent, get } from 'node:http';
import { generateIdentityKeys } from '@botyard/shared/auth/identity';
import { eventually } from '@botyard/testing/eventually';
import { type ServiceProcess, startServiceProcess } from '@botyard/testing/service-process';
import { domainServices } from '../../../tools/launcher/settings/services.ts';

/** The output of a process that an operator watches during a fault. */
type Watched = Pick<ServiceProcess, 'url' | 'logLines'>;

export interface StallReport {
  /** From the call until readiness, `/api/health`, the metric and the log have all reported it. */
  shownMs: number;
  /** The line of the log. */
  line: string;
  /** The state that readiness reports. */
  state: string;
}

const timeoutMs = 120_000;
/** One to each process, which nothing else uses: a process that can open nothing accepts no other. */
const connections = new Agent({ keepAlive: true, maxSockets: 1 });

/** `undefined` when there is no answer. */
function ask(url: string): Promise<{ status: number; text: string } | undefined> {
  const { promise, resolve } = Promise.withResolvers<{ status: number; text: string } | undefined>();
  const noAnswer = () => resolve(undefined);
  get(url, { agent: connections }, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
    });
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    response.on('error', noAnswer);
  }).on('error', noAnswer);
  return promise;
}

/** A gateway before these processes, for its `/api/health`; the last of them stands in for the other services. */
export class HealthGateway {
  readonly #gateway: ServiceProcess;
  readonly #url: string;

  private constructor(gateway: ServiceProcess, url: string) {
    this.#gateway = gateway;
    this.#url = url;
  }

  static async start(services: Readonly<Record<string, Watched>>): Promise<HealthGateway> {
    const { signingKey } = await generateIdentityKeys();
    const last = Object.values(services).at(-1)!;
    const urls = domainServices.map((name) => [`${name.toUpperCase()}_URL`, (services[name] ?? last).url]);
    const env = { NODE_ENV: 'test', HOST: '127.0.0.1', PORT: '0', IDENTITY_SIGNING_KEY: signingKey };
    const gateway = await startServiceProcess('gateway', { ...env, ...Object.fromEntries(urls) });
    const port = await eventually('the gateway is open', () =>
      gateway.logLines
        .map((line) => /"port":(\d+).*"msg":"open to the public"/.exec(line)?.[1])
        .find(Boolean),
    );
    return new HealthGateway(gateway, `http://127.0.0.1:${port}/api/health`);
  }

  async isHealthy(): Promise<boolean> {
    const { ok, body } = await fetch(this.#url).then((response) => ({
      ok: response.ok,
      body: response.body,
    }));
    await body?.cancel();
    return ok;
  }

  stop(): Promise<void> {
    return this.#gateway.stop();
  }

  /** Waits until everything that an operator looks at names this part of a process. */
  async untilStallShown(watched: Watched, part: string): Promise<StallReport> {
    const beganAt = performance.now();
    const isOf = (line: string) => line.includes(`"msg":"stalled: ${part}`);
    const before = watched.logLines.filter(isOf).length;
    const state = await eventually(`readiness shows ${part}`, () => stateOf(watched, part), { timeoutMs });
    await eventually('health shows it', async () => !(await this.isHealthy()), { timeoutMs });
    await eventually('the metric shows it', () => isCounted(watched, part), { timeoutMs });
    const line = await eventually('the log shows it', () => watched.logLines.filter(isOf)[before], {
      timeoutMs,
    });
    return { shownMs: Math.round(performance.now() - beganAt), line, state };
  }

  /** Waits until the process and everything before it is well again. */
  async untilRecovered(watched: Watched): Promise<number> {
    const beganAt = performance.now();
    const isReady = async () => (await ask(`${watched.url}/readyz`))?.status === 200;
    await eventually('it is ready', isReady, { timeoutMs: 60_000 });
    await eventually('health is well', () => this.isHealthy(), { timeoutMs: 60_000 });
    return Math.round(performance.now() - beganAt);
  }
}

async function stateOf({ url }: Watched, part: string): Promise<string | undefined> {
  // A process that can't accept a connection doesn't answer.
  const response = await ask(`${url}/readyz`);
  if (!response) return undefined;
  const { checks } = JSON.parse(response.text) as { checks: Record<string, string> };
  const { messages = '' } = checks;
  return response.status === 503 && messages.includes(part) ? messages : undefined;
}

async function isCounted({ url }: Watched, part: string): Promise<boolean> {
  const { text = '' } = (await ask(`${url}/metrics`)) ?? {};
  return text
    .split('\n')
    .some((line) => line.startsWith('stalled_seconds{') && line.includes(`part="${part}`));
}
