import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory that lives as long as the test. Under root, Postgres's user can enter it. */
export async function temporaryDirectory(mode = 0o711): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'botyard-tools-'));
  await chmod(directory, mode);
  onTestFinished(async () => {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  });
  return directory;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
