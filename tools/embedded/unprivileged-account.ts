import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { StartError } from './start-error.ts';

export interface Account {
  uid: number;
  gid: number;
}

const run = promisify(execFile);
const findAccount = 'for u in postgres nobody; do id -u "$u" && id -g "$u" && exit 0; done';

/** Returns the user for Postgres, which can't run as root. `undefined` if this process is not root. */
export async function unprivilegedAccount(dataDir: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(dataDir).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const { stdout } = await run('/bin/sh', ['-c', findAccount]).catch(() => ({ stdout: '' }));
  const [uid, gid] = stdout.trim().split(/\s+/).map(Number);
  if (!uid || !gid) {
    throw new StartError(
      "Postgres can't run as root, and this system has no user named postgres or nobody: start as another user, or set DATABASE_URL",
    );
  }
  return { uid, gid };
}

/** Asks the system for access, because groups and access lists also count. */
export async function canUse(account: Account, path: string): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { ...account, cwd: '/' });
    return true;
  } catch (error) {
    if (typeof (error as { code?: unknown }).code === 'number') return false;
    throw new StartError(
      `Postgres can't run as root, and this process may not switch to user ${account.uid}: start as another user, or set DATABASE_URL`,
    );
  }
}
