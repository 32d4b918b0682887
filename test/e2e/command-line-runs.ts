import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../libs/cli/bin/botyard.cjs', import.meta.url));

export interface Run {
  code: number | null;
  /** Both outputs, in the order of the text. */
  output: string;
}

/** Starts `botyard` like a person in a shell, with a home of its own. */
export function startCommand(
  args: readonly string[],
  { env, program = bin }: { env: Readonly<Record<string, string>>; program?: string },
): { child: ChildProcess; ended: Promise<Run>; output: () => string } {
  const child = spawn(process.execPath, [program, ...args], { env: { PATH: process.env.PATH, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, output }));
  return { child, ended, output: () => output };
}

export const runCommand = (
  args: readonly string[],
  options: Parameters<typeof startCommand>[1],
): Promise<Run> => startCommand(args, options).ended;

const folders: string[] = [];

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'botyard-cli-'));
  folders.push(folder);
  return folder;
}

export const removeFolders = (): Promise<unknown> =>
  Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
