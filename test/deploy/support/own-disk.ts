import { execFile } from 'node:child_process';
import { mkdir, open, rm, statfs, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Room that the streams reserve; nothing of it is written to the machine's own disk. */
const bytes = 24 * 1024 ** 3;

/** A file system of a test's own in a sparse file, mounted over a folder, which can be filled up. Needs root. */
export class OwnDisk {
  readonly #folder: string;
  readonly #image: string;

  private constructor(folder: string, image: string) {
    this.#folder = folder;
    this.#image = image;
  }

  /** The file is beside the folder; if the folder is on another such disk, the file has to be elsewhere. */
  static async mountAt(folder: string, image = `${folder}.img`): Promise<OwnDisk> {
    const disk = new OwnDisk(folder, image);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(disk.#image, '');
    await truncate(disk.#image, bytes);
    await run('mkfs.ext4', ['-q', '-F', '-m', '0', disk.#image]);
    await run('mount', ['-o', 'loop', disk.#image, folder]);
    return disk;
  }

  /** Leaves no byte free. */
  async fill(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#folder);
    await run('fallocate', ['-l', String(Math.max(bavail - 1024, 1) * bsize), this.#filler]);
    const rest = await open(`${this.#filler}-rest`, 'w');
    try {
      for (;;) await rest.write(Buffer.alloc(4096));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      await rest.close();
    }
  }

  async free(): Promise<void> {
    await Promise.all([this.#filler, `${this.#filler}-rest`].map((file) => rm(file, { force: true })));
  }

  async unmount(): Promise<void> {
    await run('umount', ['--lazy', this.#folder]);
    await rm(this.#image, { force: true });
  }

  get #filler(): string {
    return join(this.#folder, 'filler');
  }
}
