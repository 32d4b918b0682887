import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Fault } from './fault.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
const maxListBytes = 16 * 1024 * 1024;

/** A copy of the code in a separate folder, in which faults can be inserted. It shares this clone's packages. */
export class Copy {
  readonly #folder: string;
  #child: ChildProcess | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async make(): Promise<Copy> {
    const folder = await mkdtemp(join(tmpdir(), 'botyard-mutate-'));
    const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    const { stdout } = await run('git', list, { cwd: root, maxBuffer: maxListBytes });
    for (const path of stdout.split('\0').filter(Boolean)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await cp(join(root, path), join(folder, path), { verbatimSymlinks: true }).catch(ignoreMissing);
    }
    await linkPackages(folder);
    return new Copy(folder);
  }

  /** Inserts the fault, and removes it after `work`. @throws Error unless its `find` text occurs exactly once. */
  async with<Result>(fault: Fault, work: (fault: Fault) => Promise<Result>): Promise<Result> {
    const file = join(this.#folder, fault.file);
    const sound = await readFile(file, 'utf8');
    if (sound.split(fault.find).length !== 2)
      throw new Error(
        `the text of the fault "${fault.name}" must occur exactly once in ${fault.file}: update its entry in tools/mutate/faults`,
      );
    await writeFile(
      file,
      sound.replace(fault.find, () => fault.replaceWith),
    );
    try {
      return await work(fault);
    } finally {
      await writeFile(file, sound);
    }
  }

  async test(paths: readonly string[]): Promise<{ hasPassed: boolean; output: string }> {
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const args = [vitest, 'run', '--root', this.#folder, '--bail', '1', ...paths];
    const child = spawn(process.execPath, args, {
      cwd: this.#folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NODE_ENV: 'test',
        BOTYARD_TIER: 'all',
        BOTYARD_WITHOUT_SERVERS: (await this.#needServers(paths)) ? '' : 'true',
        NO_COLOR: '1',
      },
    });
    this.#child = child;
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const [code] = (await once(child, 'close')) as [number | null];
    return { hasPassed: code === 0, output };
  }

  /** Whether one of the tests uses Postgres or NATS, which take seconds to start. */
  async #needServers(paths: readonly string[]): Promise<boolean> {
    const texts = await Promise.all(paths.map((path) => readFile(join(this.#folder, path), 'utf8')));
    return texts.some((text) => text.includes('@botyard/testing/service-harness'));
  }

  /** Ends a running test as if it had failed. */
  stop(): void {
    this.#child?.kill();
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Ignores files that were deleted but not committed. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Links third-party packages. Our own packages resolve to the copy. */
async function linkPackages(folder: string): Promise<void> {
  const from = join(root, 'node_modules');
  const to = join(folder, 'node_modules');
  await mkdir(to);
  for (const name of await readdir(from))
    if (name !== '@botyard') await symlink(join(from, name), join(to, name));
  await cp(join(from, '@botyard'), join(to, '@botyard'), { recursive: true, verbatimSymlinks: true });
}
