import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readText, root } from '../../../test/support/sources.ts';

const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
/** Files with the arguments that a script gives them; `format` and `typecheck` are other people's programs. */
const ofScripts = Object.entries(scripts)
  .filter(([name]) => name !== 'format' && name !== 'typecheck')
  .map(([name, script]) => [`npm run ${name}`, script.split('.bin/node ')[1]?.split(' ') ?? []] as const);
const tools = [
  ...ofScripts,
  ...['tools/deploy/main.ts', 'tools/sandbox/main.ts'].map((file) => [file, [file]] as const),
];

async function run(args: readonly string[]) {
  return await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, args, { cwd: root }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

test.each(tools)('%s: --help says what it does and takes, and does nothing', async (_, args) => {
  const before = statSync('docs/openapi.json').mtimeMs;
  const { code, stdout, stderr } = await run([...args, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(
    /^[A-Z][\s\S]*\.\n\nUsage: (npm|node) [\s\S]*\nOptions:\n[\s\S]*--help[\s\S]*\nExamples:\n/,
  );
  expect(stdout.split('\nExamples:\n')[1]?.match(/^ {2}\S/gm)?.length).toBeGreaterThanOrEqual(2);
  expect(statSync('docs/openapi.json').mtimeMs).toBe(before);
});

test.each(tools)('%s: a wrong option is one line that names it and leads to the help', async (_, args) => {
  expect(await run([...args, '--hepl'])).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^n[^\n]+: unknown option --hepl: did you mean --help\? See [^\n]+ --help\n$/,
    ),
  });
});
