import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveKey } from '@botyard/contracts/events/keys';
import { Bus } from '@botyard/shared/bus/bus';
import { ask } from '@botyard/shared/bus/requests';
import { createLog } from '@botyard/shared/log/log';
import { createRecipient } from '@botyard/shared/secrets/handover';
import { loadSecrets, type Secrets } from '../../launcher/settings/secrets.ts';
import { readLauncherSettings } from '../../launcher/settings/settings.ts';
import { startInstallation } from '../installation/installation.ts';
import { summarize } from '../load/latencies.ts';
import { cpuSeconds, difference, sumOf } from '../measure/processes.ts';
import { interleave } from '../measure/rounds.ts';
import { Series } from '../measure/series.ts';
import type { Bench, Part } from '../part.ts';
import { startPeer } from '../peers/peer-process.ts';
import { check, spread, type Table, times } from '../report/table.ts';

const apiKey = 'sk-proj-bench-0123456789abcdef0123456789abcdef';
const storedKeys = 20;
const atOnce = 16;
const bareSubject = 'bench.bare';
const bareBytes = 2200;

interface Variant {
  name: 'bare' | 'resolve';
  /** Sends one request. Returns true if the response was right. */
  ask(): Promise<boolean>;
}

/**
 * Measures the resolution of a key for a model call: requested over the bus, selected from a tenant's keys, opened,
 * sealed for the caller and opened by the caller.
 */
export const resolve: Part = async (bench) => {
  const { rounds, seconds, say, dir, cleanup } = bench;
  const dataDir = join(dir, 'installation');
  say('starting all processes');
  const installation = await startInstallation({ dataDir, cleanup });
  const tenantId = await storeKeys(installation.gatewayUrl);
  const { variants } = await startAskers(bench, dataDir, tenantId);
  const { keys = 0, postgres = 0 } = installation.pids;
  const series = new Series();
  let [asked, right] = [0, 0];
  const run = async (variant: Variant, many: number, length: number) => {
    const before = cpuSeconds({ keys, postgres });
    const result = await timed(variant, many, length);
    asked += result.latenciesMs.length;
    right += result.right;
    const cpu = sumOf(difference(cpuSeconds({ keys, postgres }), before));
    const count = result.latenciesMs.length;
    return { ...summarize(result.latenciesMs), perSecond: count / length, cpu: (cpu / count) * 1000 };
  };
  for (const variant of variants) await run(variant, atOnce, 1);
  await interleave(variants, rounds, async (variant, round) => {
    say(`round ${round + 1}/${rounds}: ${variant.name}`);
    const alone = await run(variant, 1, seconds);
    const many = await run(variant, atOnce, seconds);
    series.add(variant.name, {
      aloneP50: alone.p50Ms * 1000,
      aloneP99: alone.p99Ms * 1000,
      manyP50: many.p50Ms * 1000,
      manyP99: many.p99Ms * 1000,
      perSecond: many.perSecond,
      cpu: many.cpu,
    });
  });
  const checks = [check('answers with the right key', asked, right)];
  return { tables: [table(series, variants)], checks, rounds: series };
};

/** Creates a tenant with several keys of the provider, as after a year of use. Returns the tenant. */
async function storeKeys(gatewayUrl: string): Promise<string> {
  const call = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${gatewayUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(`POST ${path} returned ${answer.status}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  const tenantId = String((await call('/api/bots/tenants', { name: 'Bench' })).tenantId);
  for (let count = 0; count < storedKeys; count += 1)
    await call(`/api/keys/${tenantId}`, { provider: 'openai', apiKey });
  return tenantId;
}

async function startAskers(
  { cleanup }: Bench,
  dataDir: string,
  tenantId: string,
): Promise<{ variants: Variant[] }> {
  const secrets = await loadSecrets(dataDir);
  const url = await natsUrl(dataDir);
  const bus = await connectAs('agents', url, secrets);
  await cleanup.add(() => bus.close());
  const admin = await connectAs('admin', url, secrets);
  await cleanup.add(() => admin.close());
  await startPeer('bare-answerer', {
    cleanup,
    env: {
      NATS_URL: url,
      NATS_USER: 'admin',
      NATS_PASSWORD: secrets.nats.admin ?? '',
      SUBJECT: bareSubject,
      ANSWER_BYTES: String(bareBytes),
    },
  });
  const question = { tenantId, provider: 'openai' } as const;
  const payload = JSON.stringify({ ...question, recipient: createRecipient().recipient });
  const bare: Variant = {
    name: 'bare',
    ask: async () => {
      const answer = await admin.live().connection.request(bareSubject, payload, { timeout: 2000 });
      return answer.data.length === bareBytes;
    },
  };
  const resolving: Variant = {
    name: 'resolve',
    ask: async () => {
      const { recipient, open } = createRecipient();
      const { sealedKey } = await ask(bus, resolveKey, { ...question, recipient });
      return sealedKey !== null && (await open(sealedKey)).reveal() === apiKey;
    },
  };
  return { variants: [bare, resolving] };
}

async function connectAs(user: 'agents' | 'admin', url: string, { nats }: Secrets): Promise<Bus> {
  const { natsNamespace: namespace } = readLauncherSettings({ NODE_ENV: 'development' });
  const log = createLog('bench', 'silent');
  const bus = new Bus({ service: 'agents', url, namespace, user, password: nats[user], log });
  await bus.connect();
  return bus;
}

/** Reads the embedded server's port, which changes at every start, from its configuration file. */
async function natsUrl(dataDir: string): Promise<string> {
  const file = await readFile(join(dataDir, 'nats', 'nats-server.json'), 'utf8');
  return `nats://${(JSON.parse(file) as { listen: string }).listen}`;
}

async function timed(
  { ask: once }: Variant,
  many: number,
  seconds: number,
): Promise<{ latenciesMs: number[]; right: number }> {
  const latenciesMs: number[] = [];
  let right = 0;
  const end = performance.now() + seconds * 1000;
  const work = async () => {
    while (performance.now() < end) {
      const begin = performance.now();
      if (await once()) right += 1;
      latenciesMs.push(performance.now() - begin);
    }
  };
  await Promise.all(Array.from({ length: many }, work));
  return { latenciesMs, right };
}

function table(series: Series, variants: readonly Variant[]): Table {
  return {
    title: `Resolving a key over the bus (${storedKeys} stored keys; alone, and ${atOnce} at once)`,
    head: [
      'request',
      'p50 µs',
      'of bare',
      'p99 µs',
      'of bare',
      `p50 µs, ${atOnce}`,
      'of bare',
      `p99 µs, ${atOnce}`,
      '1/s',
      'CPU-s/1k',
    ],
    rows: variants.map(({ name }) => [
      name,
      spread(series.of(name, 'aloneP50')),
      times(series.ratio(name, 'bare', 'aloneP50')),
      spread(series.of(name, 'aloneP99')),
      times(series.ratio(name, 'bare', 'aloneP99')),
      spread(series.of(name, 'manyP50')),
      times(series.ratio(name, 'bare', 'manyP50')),
      spread(series.of(name, 'manyP99')),
      spread(series.of(name, 'perSecond')),
      spread(series.of(name, 'cpu')),
    ]),
    notes: [
      'bare: a request over the same nats-server to a process that answers with as many bytes at once.',
      'CPU is that of the keys service and Postgres. The asker, who makes a key pair and opens the answer, shares the machine.',
    ],
  };
}
