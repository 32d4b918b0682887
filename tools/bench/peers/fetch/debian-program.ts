import { access, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { peersHome } from './npm-peer.ts';
import { run } from './run.ts';

interface Program {
  file: string;
  env: Record<string, string>;
  /** The version that the program reports. */
  version: string;
}

interface DebianProgram {
  name: string;
  /** The program's package, and its dependencies that a minimal Debian installation lacks. */
  packages: readonly string[];
}

/** Returns the installed program, or else unpacks it from Debian's packages into a folder without installing them. */
export async function fetchDebianProgram({ name, packages }: DebianProgram): Promise<Program> {
  const own = await findOnPath(name);
  if (own) return await withVersion(own, {});
  const home = join(peersHome, name);
  const done = join(home, '.fetched');
  if (!(await exists(done))) {
    await rm(home, { recursive: true, force: true });
    const archives = join(home, 'archives');
    await mkdir(archives, { recursive: true });
    await run('apt-get', ['download', ...packages], { cwd: archives });
    for (const archive of await readdir(archives))
      await run('dpkg-deb', ['-x', join(archives, archive), join(home, 'root')]);
    await writeFile(done, '');
  }
  const unpacked = join(home, 'root');
  const libraries = ['usr/lib', 'lib'].flatMap((place) => [
    join(unpacked, place, multiarch()),
    join(unpacked, place),
  ]);
  const found = [join(unpacked, 'usr/sbin', name), join(unpacked, 'usr/bin', name)];
  for (const file of found)
    if (await exists(file)) return await withVersion(file, { LD_LIBRARY_PATH: libraries.join(delimiter) });
  throw new Error(`Debian's packages ${packages.join(', ')} do not contain ${name}`);
}

async function withVersion(file: string, env: Record<string, string>): Promise<Program> {
  const text = await run(file, ['-v'], { env });
  return { file, env, version: /\d+\.\d+[\w.+-]*/.exec(text)?.[0] ?? 'unknown' };
}

async function findOnPath(name: string): Promise<string | undefined> {
  for (const place of [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']) {
    const file = join(place, name);
    if (place && (await exists(file))) return file;
  }
  return undefined;
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}

const multiarch = () => (process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu');
