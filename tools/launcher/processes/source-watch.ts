import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * A save, a formatter or a change of branch writes many files. Writes count as one change until there are none for this
 * long.
 */
const quietMs = 150;

interface SourceWatchOptions {
  root: string;
  /** Relative to `root`. */
  folders: readonly string[];
  /** Called once per burst of changes, with the paths of the files relative to `root`. */
  onChange(paths: string[]): void;
  onFault(error: Error): void;
}

/** Reports changes of source files in folders and their subfolders until the signal is aborted. */
export function watchSources(options: SourceWatchOptions, until: AbortSignal): void {
  new SourceWatch(options, until).start();
}

/**
 * Watches each folder separately. On Linux, `fs.watch` with `recursive` loses a file as soon as another file of the
 * same name replaces it, which is how many editors and git write.
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

  /** Watches a folder and its subfolders. Returns the files in it, or none if the path is a file or is gone. */
  #watch(folder: string): string[] {
    const { root, onFault } = this.#options;
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
    try {
      // The files are listed after the watch has started, so that none is missed.
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
    // A new path may be a folder that already contained files before the watch started.
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

/** True for files that a process may load, which excludes READMEs and the temporary files of editors. */
function isSource(path: string): boolean {
  return /^[^.].*\.(ts|js|json|html|css)$/.test(basename(path));
}
