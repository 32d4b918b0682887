import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  access,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Log } from './guarded-process.ts';
import { processIdentity } from './process-identity.ts';
import { openSharedPlace } from './shared-place.ts';
import { StartError } from './start-error.ts';
import { type Account, canUse } from './unprivileged-account.ts';
import { waitUntil } from './wait-until.ts';

export const ownerRole = 'botyard_owner';

/** A process ID that no system assigns, so that Postgres treats the lock file as stale. */
const nobodysPid = '2147483646';

/**
 * Returns the actual directory of the data, which is normally `dataDir`. If Postgres has to run as a user who can't
 * enter the parent directories, the data are in the shared place and `dataDir` is a link to them.
 */
export async function placeOfData(
  dataDir: string,
  { account, sharedPlace, log }: { account: Account | undefined; sharedPlace: string; log: Log },
): Promise<string> {
  const entry = await lstat(dataDir).catch(() => undefined);
  if (entry?.isSymbolicLink()) {
    return await realpath(dataDir).catch(() => {
      throw new StartError(
        `${dataDir} is a link to data that no longer exist: remove the link to start with an empty database`,
      );
    });
  }
  const parent = dirname(dataDir);
  await mkdir(parent, { recursive: true });
  if (!account || (await canUse(account, parent))) return dataDir;
  if (entry)
    throw new StartError(
      `Postgres runs as user ${account.uid}, who can't enter ${parent}: run chmod o+x on it and on its parent directories`,
    );
  const place = await openSharedPlace(sharedPlace, parent);
  const home = join(place, `data-${randomBytes(8).toString('hex')}`);
  await mkdir(home, { mode: 0o711 });
  await symlink(join(home, 'postgres'), dataDir);
  log(`Postgres can't run as root and its user can't enter ${parent}: its data are in ${home}`);
  return join(home, 'postgres');
}

export async function initializeOnce(
  dataDir: string,
  options: { initdb: string; account: Account | undefined; password: string; sync: boolean },
): Promise<void> {
  if (await exists(join(dataDir, 'PG_VERSION'))) return;
  if (await exists(dataDir))
    throw new StartError(`${dataDir} exists but contains no Postgres data: move it away`);
  // Created under another name and renamed, so that an interrupted start leaves no partial database.
  const unfinished = `${dataDir}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  const secretDir = await mkdtemp(join(dirname(dataDir), '.initdb-'));
  const passwordFile = join(secretDir, 'password');
  try {
    await writeFile(passwordFile, options.password, { mode: 0o600 });
    await giveTo(options.account, [unfinished, secretDir, passwordFile]);
    await runInitdb(options, [
      '-D',
      unfinished,
      `--pwfile=${passwordFile}`,
      ...(options.sync ? [] : ['--no-sync']),
    ]);
    await rename(unfinished, dataDir);
  } finally {
    await rm(secretDir, { recursive: true, force: true });
  }
}

async function runInitdb(
  { initdb, account }: { initdb: string; account: Account | undefined },
  args: readonly string[],
): Promise<void> {
  const fixed = [
    '-U',
    ownerRole,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
    '--no-instructions',
  ];
  try {
    await promisify(execFile)(initdb, [...fixed, ...args], { cwd: '/', env: postgresEnv(), ...account });
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string };
    const said = stderr.split('\n').find((line) => /error|fatal/i.test(line));
    throw new StartError(`the database can't be created: ${said ?? message.split('\n')[0]}`);
  }
}

/** A minimal environment: ours contains secrets. The locale keeps messages in English. */
export function postgresEnv(): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/**
 * Ends a Postgres that a killed run left on this directory. Invalidates a stale lock file whose process ID now belongs
 * to another process.
 */
export async function takeDownLeftover(dataDir: string, log: Log): Promise<void> {
  const lockFile = join(dataDir, 'postmaster.pid');
  const lines = (await readFile(lockFile, 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  const holder = await processIdentity(pid);
  if (!holder) return;
  if (!/postgres/.test(holder.command) || !holder.command.includes(dataDir)) {
    // The other lines stay: Postgres uses them to check whether old backends still use its shared memory.
    await writeFile(lockFile, [nobodysPid, ...lines.slice(1)].join('\n'));
    return;
  }
  log(`stopping the Postgres of an earlier run (process ${pid})`);
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    kill(pid, signal);
    const isGone = async () =>
      (await processIdentity(pid))?.identity === holder.identity ? undefined : true;
    if (await waitUntil(isGone, { timeoutMs: 5000 })) return;
  }
  throw new StartError(
    `the Postgres of an earlier run still uses ${dataDir} and can't be stopped: end process ${pid}`,
  );
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH')
      throw new StartError(`the Postgres of an earlier run can't be stopped: end process ${pid}`);
  }
}

async function giveTo(account: Account | undefined, paths: readonly string[]): Promise<void> {
  if (!account) return;
  for (const path of paths) await chown(path, account.uid, account.gid);
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
