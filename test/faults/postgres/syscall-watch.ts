import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { eventually } from '@botyard/testing/eventually';

export interface Syscall {
  /** Milliseconds of the wall clock at its begin. */
  atMs: number;
  text: string;
}

/** The system calls of some processes in order, as strace reports them. */
export class SyscallWatch {
  readonly calls: Syscall[] = [];
  readonly #stop: () => Promise<void>;

  private constructor(stop: () => Promise<void>) {
    this.#stop = stop;
  }

  /** `undefined` where strace isn't there, or may not look. */
  static async of(pids: readonly number[], syscalls: readonly string[]): Promise<SyscallWatch | undefined> {
    const args = ['-ttt', '-s', '65536', '-e', `trace=${syscalls.join()}`];
    const child = spawn('strace', [...args, ...pids.flatMap((pid) => ['-p', String(pid)])], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let hasEnded = false;
    const ended = new Promise<void>((resolve) => {
      for (const how of ['error', 'exit'])
        child.once(how, () => {
          hasEnded = true;
          resolve();
        });
    });
    const watch = new SyscallWatch(async () => {
      child.kill('SIGINT');
      await ended;
    });
    let attached = 0;
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (/^strace: Process \d+ attached/.test(line)) attached += 1;
      const [, seconds, text] = /^(?:\[pid +\d+\] )?(\d+\.\d+) (.*)$/.exec(line) ?? [];
      if (seconds && text) watch.calls.push({ atMs: Number(seconds) * 1000, text });
    });
    await eventually('strace is attached', () => hasEnded || attached >= pids.length);
    return hasEnded ? undefined : watch;
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}
