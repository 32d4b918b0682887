import { join } from 'node:path';
import { freePort, freePorts } from '../../embedded/free-port.ts';
import type { Log } from '../../embedded/guarded-process.ts';
import { startNatsServer } from '../../embedded/nats-server.ts';
import { moveSharedStreams } from '../../embedded/nats-store.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import { accountsOf } from '../settings/nats-accounts.ts';
import type { Secrets } from '../settings/secrets.ts';
import type { LauncherSettings } from '../settings/settings.ts';
import { watchNats } from './nats-watch.ts';
import type { Supervisor } from './supervisor.ts';

interface ServerContext {
  settings: LauncherSettings;
  secrets: Secrets;
  supervisor: Supervisor;
  log: Log;
}

/** Returns the owner's URL of the configured database, or of an embedded one that keeps its port across restarts. */
export async function keepPostgres({ settings, secrets, supervisor, log }: ServerContext): Promise<string> {
  if (settings.databaseUrl !== undefined) return settings.databaseUrl;
  const options = {
    dataDir: join(settings.dataDir, 'postgres'),
    port: await freePort(),
    password: secrets.ownerPassword,
    log,
  };
  const { url } = await supervisor.keep({ name: 'postgres', start: () => startPostgres(options) });
  return url;
}

/**
 * Returns the address of the configured server, or of an embedded one. The embedded server is restarted when it dies,
 * and, if it is watched, when it stops working.
 */
export async function keepNats(
  { settings, secrets, supervisor, log }: ServerContext,
  watch?: { say: (line: string) => void; until: AbortSignal },
): Promise<{ url: string; isOurs: boolean }> {
  if (settings.natsUrl !== undefined) return { url: settings.natsUrl, isOurs: false };
  const [port = 0, monitorPort = 0] = await freePorts(2);
  const storeDir = join(settings.dataDir, 'nats');
  const accounts = accountsOf(settings.natsNamespace, secrets, {
    filesMaxBytes: settings.filesMaxBytes,
    replicas: 1,
  });
  const options = { storeDir, port, monitorPort, users: [], accounts, log };
  await moveSharedStreams(storeDir, settings.natsNamespace);
  const { url, monitorUrl } = await supervisor.keep({ name: 'nats', start: () => startNatsServer(options) });
  const restart = () => supervisor.restart('nats');
  if (watch) {
    const { say, until } = watch;
    watchNats({ monitorUrl, storeDir, restart, say }, until).catch((error: Error) =>
      say(`is no longer watched (${error.message}); restart Botyard to watch it again`),
    );
  }
  return { url, isOurs: true };
}
