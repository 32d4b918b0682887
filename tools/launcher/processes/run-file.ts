import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { processIdentity } from '../../embedded/process-identity.ts';
import { waitUntil } from '../../embedded/wait-until.ts';

const Processes = z.record(z.string(), z.object({ pid: z.number(), identity: z.string() }));
type Processes = z.output<typeof Processes>;

const leaveWithinMs = 12_000;
const killWithinMs = 2000;

/** Replaces a file atomically: readers see the old content or the new. */
export function writeJson(file: string, content: unknown): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function removeFile(file: string): void {
  rmSync(file, { force: true });
}

/** Records the started processes for the next start, in case this launcher is killed. */
export function createProcessList(dataDir: string): {
  add(name: string, pid: number): Promise<void>;
  clear(): void;
} {
  const file = join(dataDir, 'processes.json');
  const list: Processes = {};
  return {
    add: async (name, pid) => {
      const runningProcess = await processIdentity(pid);
      if (!runningProcess) return;
      list[name] = { pid, identity: runningProcess.identity };
      writeJson(file, list);
    },
    clear: () => removeFile(file),
  };
}

/**
 * Waits for the processes that a killed launcher left behind. Most end by themselves within seconds; the rest are
 * killed. A process counts as left behind only while its ID, start time and command match the record.
 */
export async function endLeftovers(dataDir: string, say: (line: string) => void): Promise<void> {
  const left = await stillRunning(readProcesses(join(dataDir, 'processes.json')));
  if (left.length === 0) return;
  say(`waiting for processes of an earlier run: ${left.map(({ name }) => name).join(', ')}`);
  for (const { pid } of left) signal(pid, 'SIGTERM');
  const areGone = async () => ((await stillRunning(left)).length === 0 ? true : undefined);
  if (await waitUntil(areGone, { timeoutMs: leaveWithinMs })) return;
  for (const { pid } of await stillRunning(left)) signal(pid, 'SIGKILL');
  await waitUntil(areGone, { timeoutMs: killWithinMs });
}

interface Left {
  name: string;
  pid: number;
  identity: string;
}

async function stillRunning(list: readonly Left[]): Promise<Left[]> {
  const now = await Promise.all(list.map(({ pid }) => processIdentity(pid)));
  return list.filter(({ identity }, index) => now[index]?.identity === identity);
}

function readProcesses(file: string): Left[] {
  try {
    const list = Processes.parse(JSON.parse(readFileSync(file, 'utf8')));
    // The start of Postgres ends a leftover one more carefully than a signal would.
    return Object.entries(list)
      .filter(([name]) => name !== 'postgres')
      .map(([name, entry]) => ({ name, ...entry }));
  } catch {
    return [];
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended in the meantime.
  }
}
