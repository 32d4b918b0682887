import { readdirSync, readFileSync } from 'node:fs';

/** The resident memory in MiB of each process together with those that it has started. */
export function memoryOfEach(pids: Readonly<Record<string, number>>): Record<string, number> {
  const processes = listProcesses();
  const sum = (pid: number): number =>
    processes
      .filter(({ parentPid }) => parentPid === pid)
      .reduce((mib, child) => mib + sum(child.pid), residentMib(pid));
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, Math.round(sum(pid))]));
}

function listProcesses(): { pid: number; parentPid: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), parentPid: numberIn(pid, /^PPid:\s+(\d+)/m) }));
}

const residentMib = (pid: number): number => numberIn(String(pid), /^VmRSS:\s+(\d+)/m) / 1024;

/** A number in a process's status; 0 once it has ended. */
function numberIn(pid: string, pattern: RegExp): number {
  try {
    return Number(pattern.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
