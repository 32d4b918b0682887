import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const withinMs = 20 * 60_000;

/** Runs a program to its end. @throws Error with the program's output in one line. */
export async function run(
  file: string,
  args: readonly string[],
  { cwd, env = {} }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  try {
    const options = { cwd, env: { ...process.env, ...env }, timeout: withinMs, maxBuffer: 64 * 1024 ** 2 };
    return (await execute(file, args, options)).stdout;
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    const said = stderr
      .trim()
      .split('\n')
      .filter((line) => /err|fatal|E:/i.test(line))
      .slice(0, 3);
    throw new Error(`${file} ${args[0] ?? ''} failed (${String(code)}) ${said.join(' / ')}`, {
      cause: error,
    });
  }
}
