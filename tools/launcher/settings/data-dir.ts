import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../../embedded/start-error.ts';

/** Creates the directory. @throws StartError with the reason if it can't be used. */
export async function prepareDataDir(dataDir: string): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  try {
    await mkdir(dataDir, { recursive: true, mode: isRoot ? 0o711 : 0o700 });
    if (isRoot) await letPostgresEnter(dataDir);
    const probe = join(dataDir, `.probe-${process.pid}`);
    await writeFile(probe, '', { flag: 'wx' });
    await rm(probe);
  } catch (error) {
    const { code = 'unknown fault' } = error as NodeJS.ErrnoException;
    throw new StartError(
      `DATA_DIR ${dataDir} can't be written (${code}): make it writable or set DATA_DIR to another directory`,
    );
  }
}

/** If the launcher is root, Postgres runs as another user, who needs access. Only our own directory is opened. */
async function letPostgresEnter(dataDir: string): Promise<void> {
  const entries = await readdir(dataDir);
  const { mode } = await stat(dataDir);
  if (entries.length === 0 || entries.includes('secrets.json')) await chmod(dataDir, (mode & 0o777) | 0o011);
}

/**
 * Ensures that a data directory has only one launcher. The lock is a file lock of the operating system, through SQLite.
 * It ends with the process, even by SIGKILL, and needs no process IDs, which are reused.
 */
export function lockDataDir(dataDir: string): { release(): void } {
  const file = join(dataDir, 'launcher.lock');
  try {
    const lock = new DatabaseSync(file, { timeout: 0 });
    lock.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive');
    return { release: () => lock.close() };
  } catch {
    throw new StartError(
      `another Botyard already uses DATA_DIR ${dataDir}: stop it, or set DATA_DIR to another directory`,
    );
  }
}
