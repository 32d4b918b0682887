import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './engine.ts';

const run = promisify(execFile);
const git = async (...args: string[]) => (await run('git', args, { cwd: root })).stdout.trim();

/** The full number of a commit, or `undefined` when this repository doesn't have it: a shallow clone, an archive. */
export async function findCommit(revision: string): Promise<string | undefined> {
  return await git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`).catch(() => undefined);
}

/** Puts the code of a commit into a new folder, ready to run. */
export async function codeOf(commit: string, folder: string): Promise<void> {
  await mkdir(folder);
  const archive = `${folder}.tar`;
  await git('archive', '--format=tar', `--output=${archive}`, commit);
  await run('tar', ['-xf', archive, '-C', folder]);
  await run('rm', [archive]);
  const lock = (at: string) => readFile(join(at, 'package-lock.json'), 'utf8');
  if ((await lock(folder)) === (await lock(root))) await linkPackages(folder);
  else await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
}

/** The same packages as here, but for the workspaces, which are the folder's own. */
async function linkPackages(folder: string): Promise<void> {
  const packages = join(folder, 'node_modules');
  await mkdir(packages);
  const link = (from: string) => symlink(join(root, 'node_modules', from), join(packages, from));
  for (const name of await readdir(join(root, 'node_modules'))) if (name !== '@botyard') await link(name);
  await mkdir(join(packages, '@botyard'));
  for (const place of ['libs', 'services'])
    for (const name of await readdir(join(folder, place)))
      await symlink(join(folder, place, name), join(packages, '@botyard', name));
}
