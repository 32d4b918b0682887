import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

interface ProcessIdentity {
  /** Arguments, separated by NUL on Linux and by spaces elsewhere. */
  command: string;
  /** Command and start, which distinguish two processes that had the same number one after the other. */
  identity: string;
}

/** The process with this number now; `undefined` without one. */
export async function processIdentity(pid: number): Promise<ProcessIdentity | undefined> {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return process.platform === 'linux' ? await fromProc(pid) : await fromPs(pid);
}

async function fromProc(pid: number): Promise<ProcessIdentity | undefined> {
  try {
    const [command, stat] = await Promise.all([
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    // The program's name is in parentheses and may contain anything, so fields are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    if (state === 'Z' || state === 'X') return undefined;
    return { command, identity: `${fields[19]} ${command}` };
  } catch {
    return undefined;
  }
}

async function fromPs(pid: number): Promise<ProcessIdentity | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'lstart=,command=', '-p', String(pid)]);
    const line = stdout.trim();
    return line ? { command: line.slice(24).trim(), identity: line } : undefined;
  } catch {
    return undefined;
  }
}
