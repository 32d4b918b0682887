import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * A save, a formatter or a change of branch writes many files: they count as one change when they pause for so long.
 */
const quietMs = 150;

interface SourceWatchOptions {
  root: string;
  /** Relative to `root`. */
  folders: readonly string[];
  /** Once for each burst of changes, with the paths of the files, relative to `root`. */
  onChange(paths: string[]): void;
  onFault(error: Error): void;
}

/** Reports changes of source files in folders and all that lies in them, until the signal. */
export function watchSources(options: SourceWatchOptions, until: AbortSignal): void {
  new SourceWatch(options, until).start();
}

/**
 * Each folder is watched by itself. `fs.watch` with `recursive` loses a file on Linux as soon as it is replaced by
 * another one of its name, as many editors and git do it.
 */
class SourceWatch {
  readonly #options: SourceWatchOptions;
  readonly #until: AbortSignal;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changed = new Set<string>();
  #quiet: NodeJS.Timeout | undefined;

  constructor(options: SourceWatchOptions, until: AbortSignal) {
    this.#options = options;
    this.#until = until;
  }

  start(): void {
    for (const folder of this.#options.folders) this.#watch(folder);
    this.#until.addEventListener('abort', () => clearTimeout(this.#quiet));
  }

  /** Watches the folder and those in it. Returns the files there; nothing when it is a file or gone. */
  #watch(folder: string): string[] {
    const { root, onFault } = this.#options;
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
    try {
      // The files are listed after the watch has begun, so that none is missed.
      readdirSync(join(root, folder));
      const watcher = watch(join(root, folder), { signal: this.#until });
      watcher.on('change', (kind, name) => this.#note(kind, join(folder, String(name)))).on('error', onFault);
      this.#watchers.set(folder, watcher);
      return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? this.#watch(path) : [path];
      });
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!['ENOENT', 'ENOTDIR'].includes(code)) onFault(error as Error);
      return [];
    }
  }

  #note(kind: string, path: string): void {
    // A new path may be a folder, with files in it that were there before it was watched.
    const appeared = kind === 'rename' ? this.#watch(path) : [];
    const sources = [path, ...appeared].filter(isSource);
    if (sources.length === 0) return;
    for (const source of sources) this.#changed.add(source);
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => {
      const paths = [...this.#changed].sort();
      this.#changed.clear();
      this.#options.onChange(paths);
    }, quietMs);
  }
}

/** Whether a process may load it: not a README, and not what an editor keeps beside a file. */
function isSource(path: string): boolean {
  return /^[^.].*\.(ts|js|json|html|css)$/.test(basename(path));
}
