import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../../installation/root.ts';
import { run } from './run.ts';

const fetching = new Map<string, Promise<string>>();

/**
 * Installs the packages of `peers/<name>/package.json` at first use, without running install scripts. Returns the
 * folder.
 */
export async function fetchNpmPeer(
  name: string,
  options: { natives?: readonly string[]; say?(line: string): void } = {},
): Promise<string> {
  const known = fetching.get(name) ?? fetchOnce(name, options);
  fetching.set(name, known);
  return await known;
}

async function fetchOnce(
  name: string,
  { natives = [], say = () => {} }: { natives?: readonly string[]; say?(line: string): void },
): Promise<string> {
  const manifest = await readFile(fileURLToPath(new URL(`../${name}/package.json`, import.meta.url)), 'utf8');
  const home = join(peersHome, name);
  const [nodeMajor] = process.version.split('.');
  const stamp = `${manifest}${natives.join(',')} ${nodeMajor} ${process.arch}`;
  const stampFile = join(home, '.fetched');
  if ((await readFile(stampFile, 'utf8').catch(() => '')) === stamp) return home;
  say(`fetching ${name} (first use only)`);
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'package.json'), manifest);
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'], {
    cwd: home,
  });
  if (natives.length > 0) await build(home, natives);
  await writeFile(stampFile, stamp);
  return home;
}

/** Compiles native addons against the headers of the running Node, instead of downloading binaries. */
async function build(home: string, natives: readonly string[]): Promise<void> {
  const nodedir = dirname(dirname(process.execPath));
  await run('npm', ['rebuild', ...natives, '--build-from-source', `--nodedir=${nodedir}`], {
    cwd: home,
    env: { npm_config_build_from_source: 'true', npm_config_nodedir: nodedir },
  });
}

/** Peers are not part of the project: they are installed outside the repository and its dependencies. */
export const peersHome = join(root, '.data', 'bench', 'peers');
