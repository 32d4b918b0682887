import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { freePort } from '../../../tools/embedded/free-port.ts';
import { spawnGuarded } from '../../../tools/embedded/guarded-process.ts';

export interface PgBouncerOptions {
  folder: string;
  /** The server behind it; its path is the database. */
  postgresUrl: string;
  /** Logins and their passwords. */
  users: Readonly<Record<string, string>>;
  mode: 'session' | 'transaction';
  /** Lines of its configuration besides the usual ones. */
  more?: readonly string[];
}

export interface PgBouncer {
  /** The address of the same database and login through it. */
  through(url: string): string;
  stop(): Promise<void>;
}

/** Starts Debian's PgBouncer (`apt-get install pgbouncer`), which refuses to be root. */
export async function startPgBouncer(options: PgBouncerOptions): Promise<PgBouncer> {
  const { folder, postgresUrl, users, mode, more = [] } = options;
  const port = await freePort();
  const server = new URL(postgresUrl);
  const name = server.pathname.slice(1);
  await mkdir(folder, { mode: 0o755 });
  const logins = Object.entries(users).map(([user, password]) => `"${user}" "${password}"\n`);
  await writeFile(join(folder, 'users.txt'), logins.join(''));
  const lines = [
    '[databases]',
    `${name} = host=${server.hostname} port=${server.port} dbname=${name}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${join(folder, 'users.txt')}`,
    `pool_mode = ${mode}`,
    'max_client_conn = 300',
    // Fewer than a service opens, so that its transactions do change places.
    `default_pool_size = ${mode === 'session' ? 20 : 3}`,
    ...more,
  ];
  await writeFile(join(folder, 'pgbouncer.ini'), `${lines.join('\n')}\n`);
  await chmod(folder, 0o755);
  const said: string[] = [];
  const isRoot = process.getuid?.() === 0;
  const started = spawnGuarded({
    file: '/usr/sbin/pgbouncer',
    args: [...(isRoot ? ['--user=postgres'] : []), join(folder, 'pgbouncer.ini')],
    env: {},
    cwd: '/',
    orphanSignal: 'INT',
    onLine: (line) => void said.push(line),
  });
  await eventually('PgBouncer listens', () => listens(port)).catch((error: unknown) => {
    throw new Error(`PgBouncer does not start: ${said.join('\n')}`, { cause: error });
  });
  return {
    through: (url) => {
      const address = new URL(url);
      address.port = String(port);
      return address.toString();
    },
    stop: async () => {
      await started.end([{ signal: 'SIGKILL', waitMs: 2000 }]);
    },
  };
}

async function listens(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
