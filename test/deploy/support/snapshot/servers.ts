import { join } from 'node:path';
import { natsPermissions } from '@botyard/shared/bus/permissions';
import { connect } from '@nats-io/transport-node';
import { startNatsServer } from '../../../../tools/embedded/nats-server.ts';
import { moveSharedStreams } from '../../../../tools/embedded/nats-store.ts';
import { startPostgres } from '../../../../tools/embedded/postgres.ts';
import { accountsOf } from '../../../../tools/launcher/settings/nats-accounts.ts';
import { loadSecrets, natsUsers } from '../../../../tools/launcher/settings/secrets.ts';

const log = () => undefined;
const filesMaxBytes = 4096 * 1024 ** 2;

/** A Postgres and a nats-server with the logins of an installation, in `directory`. */
export async function startServers(directory: string, settingsDir: string) {
  const { nats: passwords } = await loadSecrets(settingsDir);
  const users = natsUsers.map((user) => {
    const rights = user === 'admin' ? { publish: ['>'], subscribe: ['>'] } : natsPermissions('botyard', user);
    return { user, password: passwords[user] ?? '', ...rights };
  });
  const settings = { fsync: 'off' };
  const postgres = await startPostgres({
    dataDir: join(directory, 'postgres'),
    password: 'owner',
    settings,
    log,
  });
  const natsOptions = { storeDir: join(directory, 'nats'), users, log };
  let nats = await startNatsServer(natsOptions);
  const { port } = nats;
  return {
    env: { DATABASE_URL: postgres.url, NATS_URL: nats.url },
    postgresUrl: postgres.url,
    connectAsAdmin: () => connect({ servers: nats.url, user: 'admin', pass: passwords.admin ?? '' }),
    stopNats: async () => {
      await nats.stop();
    },
    /** The one restart that introduces the accounts, with services running: as `docs/operations.md` describes it. */
    introduceAccounts: async () => {
      await nats.stop();
      await moveSharedStreams(natsOptions.storeDir, 'botyard');
      const accounts = accountsOf('botyard', { nats: passwords }, { filesMaxBytes, replicas: 1 });
      nats = await startNatsServer({ ...natsOptions, users: [], accounts, port });
    },
    startNatsAgain: async () => {
      nats = await startNatsServer({ ...natsOptions, port });
    },
    stop: async () => {
      await Promise.all([postgres.stop(), nats.stop()]);
    },
  };
}

export type Servers = Awaited<ReturnType<typeof startServers>>;
