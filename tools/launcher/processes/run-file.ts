import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { processIdentity } from '../../embedded/process-identity.ts';
import { waitUntil } from '../../embedded/wait-until.ts';

const Processes = z.record(z.string(), z.object({ pid: z.number(), identity: z.string() }));
type Processes = z.output<typeof Processes>;

const leaveWithinMs = 12_000;
const killWithinMs = 2000;

/** Writes so that a reader sees the old content or the new, never half of it. */
export function writeJson(file: string, content: unknown): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function removeFile(file: string): void {
  rmSync(file, { force: true });
}

/** Records the started processes, for a start after this launcher was killed. */
export function createProcessList(dataDir: string): {
  add(name: string, pid: number): Promise<void>;
  clear(): void;
} {
  const file = join(dataDir, 'processes.json');
  const list: Processes = {};
  return {
    add: async (name, pid) => {
      const found = await processIdentity(pid);
      if (!found) return;
      list[name] = { pid, identity: found.identity };
      writeJson(file, list);
    },
    clear: () => removeFile(file),
  };
}

/**
 * Waits for processes left by a killed launcher, which end by themselves in some seconds, and ends the others. A
 * process counts as left only while its number, start and command match the record.
 */
export async function endLeftovers(dataDir: string, say: (line: string) => void): Promise<void> {
  const left = await stillRunning(readProcesses(join(dataDir, 'processes.json')));
  if (left.length === 0) return;
  say(`waiting for what an earlier run left behind: ${left.map(({ name }) => name).join(', ')}`);
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
    // Postgres sees to itself, with more care than a signal.
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
    // Gone meanwhile.
  }
}
