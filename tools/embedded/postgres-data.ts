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

/** A number that no system gives to a process, so that Postgres sees its lock file as left behind. */
const nobodysPid = '2147483646';

/**
 * The actual place of the data. Normally that is `dataDir` itself. When Postgres has to run as another user who can't
 * enter the directories above, the data are in the shared place and `dataDir` is a link to them.
 */
export async function placeOfData(
  dataDir: string,
  { account, sharedPlace, log }: { account: Account | undefined; sharedPlace: string; log: Log },
): Promise<string> {
  const found = await lstat(dataDir).catch(() => undefined);
  if (found?.isSymbolicLink()) {
    return await realpath(dataDir).catch(() => {
      throw new StartError(
        `${dataDir} points to data that are gone: remove this link to start with an empty database`,
      );
    });
  }
  const parent = dirname(dataDir);
  await mkdir(parent, { recursive: true });
  if (!account || (await canUse(account, parent))) return dataDir;
  if (found)
    throw new StartError(
      `user ${account.uid}, whom Postgres runs as under root, can't enter ${parent}: chmod o+x it and the directories above`,
    );
  const place = await openSharedPlace(sharedPlace, parent);
  const home = join(place, `data-${randomBytes(8).toString('hex')}`);
  await mkdir(home, { mode: 0o711 });
  await symlink(join(home, 'postgres'), dataDir);
  log(`Postgres refuses to run as root and its user can't enter ${parent}: its data are in ${home}`);
  return join(home, 'postgres');
}

export async function initializeOnce(
  dataDir: string,
  options: { initdb: string; account: Account | undefined; password: string; sync: boolean },
): Promise<void> {
  if (await exists(join(dataDir, 'PG_VERSION'))) return;
  if (await exists(dataDir))
    throw new StartError(`${dataDir} is there, but holds no data of Postgres: move it away`);
  // Built aside and renamed, so that a start killed in the middle leaves nothing that looks like a database.
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
    throw new StartError(`the database can't be made: ${said ?? message.split('\n')[0]}`);
  }
}

/** Nothing of our environment, which holds secrets, and messages in one language. */
export function postgresEnv(): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/**
 * Ends a Postgres that a killed run left on this very directory, and makes a lock file harmless whose number now
 * belongs to another.
 */
export async function takeDownLeftover(dataDir: string, log: Log): Promise<void> {
  const lockFile = join(dataDir, 'postmaster.pid');
  const lines = (await readFile(lockFile, 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  const holder = await processIdentity(pid);
  if (!holder) return;
  if (!/postgres/.test(holder.command) || !holder.command.includes(dataDir)) {
    // Only the number is changed: from the other lines Postgres sees whether old backends still use its memory.
    await writeFile(lockFile, [nobodysPid, ...lines.slice(1)].join('\n'));
    return;
  }
  log(`a Postgres of an earlier run is still there (process ${pid}): stopping it`);
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    kill(pid, signal);
    const isGone = async () =>
      (await processIdentity(pid))?.identity === holder.identity ? undefined : true;
    if (await waitUntil(isGone, { timeoutMs: 5000 })) return;
  }
  throw new StartError(
    `a Postgres of an earlier run still holds ${dataDir} and can't be stopped: end process ${pid}`,
  );
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH')
      throw new StartError(`process ${pid}, an earlier Postgres, can't be stopped`);
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
