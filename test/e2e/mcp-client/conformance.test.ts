import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { requiredScenarios, revisions, runConformance } from '../conformance-suite.ts';

const program = fileURLToPath(new URL('program.ts', import.meta.url));

/** Required scenarios that are not claimed; docs/mcp.md says why. */
const notClaimed: Readonly<Record<string, string>> = {
  'elicitation-sep1034-client-defaults': 'no elicitation is offered',
  'sep-2322-client-request-state': 'a request for input is not answered',
  'auth/basic-cimd': 'the suite wants the address of its own document as the client',
  'auth/scope-step-up': 'a person signs in again, with the scopes of the first answer',
};

const allScenarios = revisions.flatMap((revision) =>
  requiredScenarios(revision, 'client').map((scenario) => [revision, scenario] as const),
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
    const { code, output } = await runConformance(['client', '--command', command, ...options]);
    expect(code, output).toBe(0);
    expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
  },
);
