import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const suite = new URL('../../../node_modules/@modelcontextprotocol/conformance/', import.meta.url);
const program = fileURLToPath(new URL('program.ts', import.meta.url));
const revisions = ['2025-11-25', '2026-07-28'];

/** Required scenarios that are not claimed; docs/mcp.md says why. */
const notClaimed: Readonly<Record<string, string>> = {
  'elicitation-sep1034-client-defaults': 'no elicitation is offered',
  'sep-2322-client-request-state': 'a request for input is not answered',
  'auth/basic-cimd': 'the suite wants the address of its own document as the client',
  'auth/scope-step-up': 'a person signs in again, with the scopes of the first answer',
};

const requiredScenarios = (revision: string): string[] => {
  const text = readFileSync(new URL(`requirements/${revision}.yaml`, suite), 'utf8');
  return (parse(text) as { client: string[] }).client;
};

const allScenarios = revisions.flatMap((revision) =>
  requiredScenarios(revision).map((scenario) => [revision, scenario] as const),
);

test('what is not claimed is required by a revision', () => {
  const names = allScenarios.map(([, scenario]) => scenario);
  for (const scenario of Object.keys(notClaimed)) expect(names).toContain(scenario);
});

test.each(allScenarios.filter(([, scenario]) => !(scenario in notClaimed)))(
  'conformance of the client with %s: %s',
  async (revision, scenario) => {
    const options = ['--scenario', scenario, '--spec-version', revision];
    const command = `${process.execPath} ${program}`;
    const run = spawn(
      process.execPath,
      [fileURLToPath(new URL('dist/index.js', suite)), 'client', '--command', command, ...options],
      { stdio: 'pipe' },
    );
    let output = '';
    for (const stream of [run.stdout, run.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const [code] = await once(run, 'close');
    expect(code, output).toBe(0);
    expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
  },
);
