import { createIdentitySigner, identityHeader } from '@botyard/shared/auth/identity';
import pg from 'pg';
import { freePorts } from '../../embedded/free-port.ts';
import { keepNats, keepPostgres } from '../../launcher/processes/servers.ts';
import { Supervisor } from '../../launcher/processes/supervisor.ts';
import { loadSecrets } from '../../launcher/settings/secrets.ts';
import { serviceEnv } from '../../launcher/settings/service-env.ts';
import { type ServiceName, serviceNames } from '../../launcher/settings/services.ts';
import { readLauncherSettings } from '../../launcher/settings/settings.ts';
import type { Cleanup } from '../cleanup.ts';
import type { Groups } from '../measure/processes.ts';
import { startServiceProcess } from './service-process.ts';

export interface AdmissionSetup {
  webhooksPort: number;
  gatewayPort: number;
  pids: Groups;
  /** The identity headers of a request from the gateway. They are valid for a minute. */
  identityHeaders(): Promise<Record<string, string>>;
  /** Counts the stored rows, and the events that are not published yet. */
  count(): Promise<AdmissionCounts>;
}

interface AdmissionCounts {
  deliveries: number;
  /** The sum of the sequence numbers of all conversations. */
  numbered: number;
  events: number;
  unpublished: number;
}

const countText = `select (select count(*) from webhooks.deliveries)::int as deliveries,
  (select coalesce(sum(last_seq), 0) from webhooks.conversations)::int as numbered,
  (select count(*) from webhooks.outbox where subject like '%.webhooks.message.received.%')::int as events,
  (select count(*) from webhooks.outbox where published_at is null)::int as unpublished`;

/**
 * Starts only the processes that admission needs (Postgres, nats-server, webhooks and the gateway) on the data of an
 * earlier run, with the launcher's own functions. If `agents` ran as well, its work would count as admission's.
 */
export async function startAdmissionSetup(
  dataDir: string,
  { env, cleanup }: { env: Readonly<Record<string, string>>; cleanup: Cleanup },
): Promise<AdmissionSetup> {
  const settings = readLauncherSettings({ NODE_ENV: 'development', DATA_DIR: dataDir, ...env });
  const secrets = await loadSecrets(dataDir);
  const supervisor = new Supervisor({ onStart: () => {}, onDeath: () => {}, onFailedRestart: () => {} });
  await cleanup.add(async () => {
    supervisor.beginStop();
    await supervisor.stop(['nats', 'postgres']);
  });
  const context = { settings, secrets, supervisor, log: () => {} };
  const [ownerUrl, nats, ports] = await Promise.all([
    keepPostgres(context),
    keepNats(context),
    servicePorts(),
  ]);
  const [gatewayPort = 0] = await freePorts(1);
  const base = { PATH: process.env.PATH, AUTH_DEV_MODE: 'true', ...env };
  const wiring = { env: base, settings, secrets, gatewayPort, ports, ownerUrl, nats, sandboxUrl: undefined };
  const start = (name: ServiceName) =>
    startServiceProcess(name, { env: serviceEnv(name, wiring), port: ports[name], cleanup });
  const [webhooks, gateway] = await Promise.all([start('webhooks'), start('gateway')]);
  const owner = new pg.Pool({ connectionString: ownerUrl, max: 1 });
  await cleanup.add(() => owner.end());
  const sign = await createIdentitySigner(secrets.identity.signingKey);
  return {
    webhooksPort: ports.webhooks,
    gatewayPort,
    pids: {
      gateway,
      webhooks,
      postgres: supervisor.pidOf('postgres') ?? 0,
      nats: supervisor.pidOf('nats') ?? 0,
    },
    identityHeaders: async () => ({ [identityHeader]: await sign({ kind: 'anonymous' }, 'webhooks') }),
    count: async () => (await owner.query<AdmissionCounts>(countText)).rows[0]!,
  };
}

async function servicePorts(): Promise<Record<ServiceName, number>> {
  const ports = await freePorts(serviceNames.length);
  return Object.fromEntries(serviceNames.map((name, index) => [name, ports[index]])) as Record<
    ServiceName,
    number
  >;
}
