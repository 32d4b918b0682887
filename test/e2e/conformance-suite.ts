import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const suite = new URL('../../node_modules/@modelcontextprotocol/conformance/', import.meta.url);

export const revisions = ['2025-11-25', '2026-07-28'] as const;

/** The scenarios that a revision of the protocol requires of a role. */
export const requiredScenarios = (revision: string, role: 'client' | 'server'): string[] => {
  const text = readFileSync(new URL(`requirements/${revision}.yaml`, suite), 'utf8');
  return (parse(text) as Record<typeof role, string[]>)[role];
};

/** Runs the suite of `@modelcontextprotocol/conformance` to its end. */
export async function runConformance(args: readonly string[]): Promise<{ code: number; output: string }> {
  const program = fileURLToPath(new URL('dist/index.js', suite));
  const run = spawn(process.execPath, [program, ...args], { stdio: 'pipe' });
  let output = '';
  for (const stream of [run.stdout, run.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = (await once(run, 'close')) as [number];
  return { code, output };
}
