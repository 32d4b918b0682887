import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Named places where a test can make a process fail (REQ-REL-20). `FAILPOINTS=name:action,name:action`, with the
 * actions `crash` (like kill -9), `error`, `hang`, `uncaught` (an uncaught exception), `unhandled` (an unhandled
 * rejection) and `exhaust` (uses all memory that the process may have). An action that ends in `*3` acts on the third
 * pass. Used only with `NODE_ENV=test`. With `FAILPOINTS_DIR`, a point that acted leaves a file there, and a point
 * whose file exists doesn't act, even in the process that replaces the one it killed. A test that creates the files
 * beforehand arms a point by removing its file.
 */
interface Failpoint {
  action: Action;
  passesLeft: number;
}

type Action = 'crash' | 'error' | 'hang' | 'uncaught' | 'unhandled' | 'exhaust';

interface Settings {
  NODE_ENV: string;
  FAILPOINTS?: string | undefined;
  FAILPOINTS_DIR?: string | undefined;
}

const armed = new Map<string, Failpoint>();
const shape = /^([\w.-]+):(crash|error|hang|uncaught|unhandled|exhaust)(?:\*(\d+))?$/;
let marksDir: string | undefined;

export function armFailpoints(settings: Settings): void {
  armed.clear();
  if (!settings.FAILPOINTS || settings.NODE_ENV !== 'test') return;
  marksDir = settings.FAILPOINTS_DIR;
  for (const entry of settings.FAILPOINTS.split(',')) {
    const [, name, action, pass] = shape.exec(entry.trim()) ?? [];
    if (!name) throw new Error('FAILPOINTS: an entry is not name:action');
    armed.set(name, { action: action as Action, passesLeft: Number(pass ?? 1) });
  }
}

/** Does nothing unless a test armed this name; acts once. */
export async function failpoint(name: string): Promise<void> {
  if (armed.size === 0) return;
  const point = armed.get(name);
  if (!point) return;
  const mark = marksDir ? join(marksDir, name) : undefined;
  if (mark && existsSync(mark)) return;
  point.passesLeft -= 1;
  if (point.passesLeft > 0) return;
  armed.delete(name);
  if (mark) writeFileSync(mark, point.action);
  if (point.action === 'crash') process.kill(process.pid, 'SIGKILL');
  const error = new Error(`failpoint ${name}`);
  if (point.action === 'error') throw error;
  if (point.action === 'exhaust') {
    const taken: number[][] = [];
    for (;;) taken.push(Array.from({ length: 100_000 }, Math.random));
  }
  if (point.action === 'unhandled') void Promise.reject(error);
  if (point.action === 'uncaught')
    setImmediate(() => {
      throw error;
    });
  await new Promise(() => {});
}
