import { readdirSync, readFileSync } from 'node:fs';

/** The measured process trees: the process ID of each root by name. */
export type Groups = Readonly<Record<string, number>>;
export type ByGroup = Readonly<Record<string, number>>;

/** The unit of `/proc/<pid>/stat`, the same on every Linux that Node runs on. */
const ticksPerSecond = 100;

interface Seen {
  parent: number;
  ticks: number;
}

/** Returns the CPU seconds (user and system) of each group since its start, including ended children. */
export function cpuSeconds(groups: Groups): ByGroup {
  const seen = readProcesses();
  return perGroup(groups, seen, (pid) => (seen.get(pid)?.ticks ?? 0) / ticksPerSecond);
}

/** Returns the memory in MiB, with shared pages divided among the processes that share them. */
export function pssMib(groups: Groups): ByGroup {
  return perGroup(groups, readProcesses(), (pid) => {
    const [, kib = 0] = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`)) ?? [];
    return Number(kib) / 1024;
  });
}

/** Returns the resident memory of a process in MiB, with shared pages counted in full. */
export function rssMib(pid: number): number {
  const [, kib = 0] = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kib) / 1024;
}

export function difference(after: ByGroup, before: ByGroup): ByGroup {
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]),
  );
}

export const sumOf = (values: ByGroup): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);

/** Sums values per group. A process belongs to its nearest ancestor that is the root of a group. */
function perGroup(
  groups: Groups,
  seen: ReadonlyMap<number, Seen>,
  measure: (pid: number) => number,
): ByGroup {
  const nameOf = new Map(Object.entries(groups).map(([name, pid]) => [pid, name]));
  const totals: Record<string, number> = Object.fromEntries(Object.keys(groups).map((name) => [name, 0]));
  for (const pid of seen.keys()) {
    let root: number | undefined = pid;
    while (root && !nameOf.has(root)) root = seen.get(root)?.parent;
    const name = root === undefined ? undefined : nameOf.get(root);
    if (name !== undefined) totals[name] = (totals[name] ?? 0) + measure(pid);
  }
  return totals;
}

function readProcesses(): Map<number, Seen> {
  const seen = new Map<number, Seen>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = read(`/proc/${entry}/stat`);
    if (stat === '') continue;
    // The program name is in parentheses and may contain any character, so fields are counted from its end.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    seen.set(Number(entry), { parent: fields[1] ?? 0, ticks: user + system + endedUser + endedSystem });
  }
  return seen;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended in the meantime.
    return '';
  }
}
