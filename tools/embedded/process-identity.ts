import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

interface ProcessIdentity {
  /** The arguments, separated by NUL on Linux and by spaces elsewhere. */
  command: string;
  /** The command and the start time, which distinguish processes that reuse the same ID. */
  identity: string;
}

/** Returns the process with this ID, or `undefined` if there is none. */
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
    // The program name is in parentheses and may contain any character, so fields are counted from its end.
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
