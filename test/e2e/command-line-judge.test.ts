import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newFolder, type Run, removeFolders, runCommand } from './command-line-runs.ts';
import { System } from './system.ts';

let system: System;
let home: string;

beforeAll(async () => {
  home = await newFolder();
  const pricesFile = join(home, 'prices.json');
  await writeFile(pricesFile, JSON.stringify({ asOf: '2025-01-01', source: 'the test', prices }));
  system = await System.start({ PRICES_FILE: pricesFile });
});
afterAll(async () => {
  await system?.stop();
  await removeFolders();
});

/** A tenth of a cent for a token of the agent or of its judge. */
const prices = ['fake', 'fake-judge'].map((model) => ({
  provider: 'private-llm',
  model,
  effectiveFrom: '2025-01-01',
  input: 1_000_000_000,
  output: 1_000_000_000,
}));

const agentFile = 'name: Support\nprovider: private-llm\nmodel: fake\n';
const setFile = `name: Hours
agent: support
mayUsePlatformKey: true
judge:
  rubric: The answer is polite.
  provider: private-llm
  model: fake-judge
  repeats: 3
cases:
  - name: Sunday
    messages:
      - role: user
        text: Open?
`;

test('a set with a judge prints its rate and its cost, and a missing verdict is an error of the report with exit code 1', async () => {
  const { tenantId } = await system.api<{ tenantId: string }>('POST', '/api/bots/tenants', {
    body: { name: 'Acme' },
  });
  const env = { HOME: home, BOTYARD_URL: system.gatewayUrl, BOTYARD_TENANT: tenantId };
  const botyard = (...args: string[]): Promise<Run> => runCommand(args, { env });
  const folder = await newFolder();
  await botyard('pull', folder);
  const files = [
    ['agents/support.yaml', agentFile],
    ['agents/support.md', 'Be kind.'],
    ['tests/hours.yaml', setFile],
  ] as const;
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  expect(await botyard('push', folder)).toMatchObject({ code: 0 });
  const judgedAs = (verdict: string) =>
    system.model.replyWith(({ messages }) =>
      JSON.stringify(messages[0]).includes('You judge') ? verdict : 'no, it is closed',
    );
  judgedAs('Polite enough.\nVERDICT: PASS');
  const passed = await botyard('test');
  expect(passed).toMatchObject({
    code: 0,
    output: expect.stringContaining('the judge passed 1 of 1, 100 % (95 % interval 21 % to 100 %)'),
  });
  const tokens = system.model.answered.all.reduce((sum, { usage }) => sum + usage.total_tokens, 0);
  expect(passed.output).toContain(`it cost $${(tokens / 1000).toFixed(4)}`);
  judgedAs('Hm.');
  const junit = join(folder, 'report.xml');
  const open = await botyard('test', '--junit', junit);
  expect(open).toMatchObject({ code: 1, output: expect.stringContaining('no verdict        Sunday') });
  expect(open.output).toContain(
    'the judge gave no verdict, 3 of 3 times: the answer of the judge ends without',
  );
  expect(open.output).toContain('0 passed, 0 failed, 1 without a verdict of the judge');
  const report = await readFile(junit, 'utf8');
  expect(report).toContain('failures="0" errors="1"');
  expect(report).toContain('<error message="the judge gave no verdict');
});
