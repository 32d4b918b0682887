import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newFolder, type Run, removeFolders, runCommand } from './command-line-runs.ts';
import { System } from './system.ts';

let system: System;
let home: string;

beforeAll(async () => {
  [system, home] = await Promise.all([System.start(), newFolder()]);
});
afterAll(async () => {
  await system?.stop();
  await removeFolders();
});

const botyard = (tenantId: string, ...args: string[]): Promise<Run> =>
  runCommand(args, { env: { HOME: home, BOTYARD_URL: system.gatewayUrl, BOTYARD_TENANT: tenantId } });

async function inTenant<Body = { id: string }>(
  tenantId: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Body> {
  const answer = await fetch(`${system.gatewayUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-tenant-id': tenantId },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Body;
}

async function newTenant(name: string): Promise<string> {
  const { tenantId } = await system.api<{ tenantId: string }>('POST', '/api/bots/tenants', {
    body: { name },
  });
  return tenantId;
}

/** A tenant with one of everything that a folder holds. */
async function fullTenant() {
  const tenantId = await newTenant('Acme');
  const make = (path: string, body: object) => inTenant(tenantId, 'POST', path, body);
  const clock = await make('/api/definitions/tools', { name: 'clock', kind: 'current_time' });
  const hours = await make('/api/definitions/capabilities', {
    name: 'Opening hours',
    instructions: 'Look at the clock.\nThen answer.',
    toolIds: [clock.id],
  });
  const agent = await make('/api/definitions/agents', {
    name: 'Support',
    instructions: '# Support\n\nBe kind.',
    provider: 'private-llm',
    model: 'fake',
    toolIds: [clock.id],
    capabilityIds: [hours.id],
  });
  await make(`/api/bots/${tenantId}/bots`, { name: 'Shop', agentIds: [agent.id], joinWindowMs: 0 });
  const judge = { rubric: 'Polite.\nAnd short.', provider: 'private-llm', model: 'fake-judge', repeats: 3 };
  const set = { name: 'Hours', agentId: agent.id, judge };
  const { setId } = await inTenant<{ setId: string }>(tenantId, 'POST', '/api/evaluations/sets', set);
  await make(`/api/evaluations/sets/${setId}/cases`, {
    name: 'Sunday',
    messages: [{ role: 'user', text: 'Open on Sunday?' }],
    assertions: [
      { type: 'contains', text: 'no' },
      { type: 'agent', agentId: agent.id, among: [agent.id] },
    ],
  });
  return { tenantId, agent };
}

const read = (folder: string, path: string) => readFile(join(folder, path), 'utf8');

async function change(folder: string, path: string, from: string, to: string): Promise<void> {
  await writeFile(join(folder, path), (await read(folder, path)).replace(from, to));
}

const instructionsOf = async (tenantId: string, id: string) =>
  (await inTenant<{ instructions: string }>(tenantId, 'GET', `/api/definitions/agents/${id}`)).instructions;

test('what is pulled, changed and pushed is live, and neither another pull nor a diff finds anything more', async () => {
  const { tenantId, agent } = await fullTenant();
  const folder = await newFolder();
  expect(await botyard(tenantId, 'pull', folder)).toMatchObject({ code: 0 });
  expect(await read(folder, 'agents/support.md')).toBe('# Support\n\nBe kind.\n');
  expect(await read(folder, 'agents/support.yaml')).toContain('capabilities:\n  - opening-hours\n');
  expect(await read(folder, 'tests/hours.yaml')).toContain('among:\n          - support\n');
  expect(await botyard(tenantId, 'diff', folder)).toEqual({ code: 0, output: 'No differences.\n' });

  await change(folder, 'agents/support.md', 'Be kind.', 'Be brief.');
  await change(folder, 'agents/support.yaml', '  - clock', '  - clock\n  - city-clock');
  await change(folder, 'tests/hours.yaml', 'name: Sunday', 'name: Sundays');
  await writeFile(join(folder, 'tools/city-clock.yaml'), 'name: city_clock\nkind: current_time\n');
  const planned = await botyard(tenantId, 'push', folder, '--dry-run');
  expect(planned.output).toContain('-Be kind.\n+Be brief.');
  expect(planned.output).toContain('3 to save, 0 to delete. Nothing was changed.');
  expect(await instructionsOf(tenantId, agent.id)).toContain('Be kind.');

  const pushed = await botyard(tenantId, 'push', folder, '--note', 'Shorter');
  expect(pushed).toEqual({
    code: 0,
    output: 'create  tools/city-clock\nupdate  agents/support\nupdate  tests/hours\n',
  });
  expect(await instructionsOf(tenantId, agent.id)).toBe('# Support\n\nBe brief.');
  const versions = await inTenant<{ note: string }[]>(
    tenantId,
    'GET',
    `/api/definitions/agents/${agent.id}/versions`,
  );
  expect(versions[0]).toMatchObject({ note: 'Shorter' });
  expect(await botyard(tenantId, 'diff', folder)).toEqual({ code: 0, output: 'No differences.\n' });
  expect(await botyard(tenantId, 'pull', folder)).toEqual({ code: 0, output: 'Nothing has changed.\n' });
});

test('the second of two people who push sees what the first one changed, and overwrites nothing', async () => {
  const { tenantId, agent } = await fullTenant();
  const [first, second] = [await newFolder(), await newFolder()];
  for (const folder of [first, second]) await botyard(tenantId, 'pull', folder);
  await change(first, 'agents/support.md', 'Be kind.', 'Be first.');
  expect((await botyard(tenantId, 'push', first)).code).toBe(0);
  await change(second, 'agents/support.md', 'Be kind.', 'Be second.');
  const refused = await botyard(tenantId, 'push', second);
  expect(refused.code).toBe(1);
  expect(refused.output).toContain('agents/support: version 2 is live');
  expect(refused.output).toContain('-Be first.\n+Be second.');
  expect(await instructionsOf(tenantId, agent.id)).toContain('Be first.');
  expect((await botyard(tenantId, 'pull', second)).code).toBe(1);
  expect(await read(second, 'agents/support.md')).toContain('Be second.');
  expect((await botyard(tenantId, 'pull', second, '--force')).code).toBe(0);
  expect(await read(second, 'agents/support.md')).toContain('Be first.');
});

test('a draft answers nobody, and a draft of somebody else is not replaced unasked', async () => {
  const { tenantId, agent } = await fullTenant();
  const folder = await newFolder();
  await botyard(tenantId, 'pull', folder);
  await change(folder, 'agents/support.md', 'Be kind.', 'Be drafted.');
  expect((await botyard(tenantId, 'push', folder, '--draft')).code).toBe(0);
  expect(await instructionsOf(tenantId, agent.id)).toContain('Be kind.');
  const refused = await botyard(tenantId, 'push', folder);
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('--replace-drafts') });
  expect((await botyard(tenantId, 'push', folder, '--replace-drafts')).code).toBe(0);
  expect(await instructionsOf(tenantId, agent.id)).toContain('Be drafted.');
});

test('a folder is pushed into another tenant, and things that left it are deleted there only when asked', async () => {
  const { tenantId } = await fullTenant();
  const folder = await newFolder();
  await botyard(tenantId, 'pull', folder);
  const other = await newTenant('Copy');
  const pushed = await botyard(other, 'push', folder);
  expect(pushed.output.match(/^create {2}/gm)).toHaveLength(5);
  expect((await botyard(other, 'diff', folder)).output).toBe('No differences.\n');
  expect((await botyard(tenantId, 'diff', folder)).output).toBe('No differences.\n');
  await rm(join(folder, 'tests/hours.yaml'));
  expect((await botyard(other, 'push', folder)).output).toContain('kept in the tenant  tests/hours');
  expect((await botyard(other, 'push', folder, '--prune')).output).toContain('delete  tests/hours');
  expect(await inTenant<unknown[]>(other, 'GET', '/api/evaluations/sets')).toEqual([]);
  expect(await inTenant<unknown[]>(tenantId, 'GET', '/api/evaluations/sets')).toHaveLength(1);
});

test('test sets are run, a draft that gets worse ends with exit code 1, and the report names its faults', async () => {
  const { tenantId, agent } = await fullTenant();
  const folder = await newFolder();
  await botyard(tenantId, 'pull', folder);
  await writeFile(
    join(folder, 'tests/hours.yaml'),
    `name: Hours\nagent: support\nmayUsePlatformKey: true\ncases:\n  - name: <Sunday> & "more"\n    messages:
      - role: user\n        text: Open?\n    assertions:\n      - type: contains\n        text: no\n`,
  );
  await botyard(tenantId, 'push', folder);
  system.model.replyWith(({ messages }) =>
    JSON.stringify(messages[0]).includes('Be wrong') ? 'yes' : 'no, it is closed',
  );
  const live = await botyard(tenantId, 'test');
  expect(live).toMatchObject({ code: 0, output: expect.stringContaining('1 passed, 0 failed') });
  await change(folder, 'agents/support.md', 'Be kind.', 'Be wrong.');
  await botyard(tenantId, 'push', folder, '--draft');
  const junit = join(folder, 'report.xml');
  const draft = await botyard(tenantId, 'test', 'Hours', '--draft', '--junit', junit);
  expect(draft).toMatchObject({ code: 1, output: expect.stringContaining('failed, worse') });
  expect(await readFile(junit, 'utf8')).toContain('<testcase name="&lt;Sunday> &amp; &quot;more&quot;"');
  expect(await readFile(junit, 'utf8')).toContain('<failure message="');
  expect(await botyard(tenantId, 'test', 'None')).toMatchObject({ code: 1 });

  const [set] = await inTenant<{ setId: string; agentId: string }[]>(
    tenantId,
    'GET',
    '/api/evaluations/sets',
  );
  const settings = { name: 'Hours', agentId: agent.id, mayUsePlatformKey: true };
  const requireSet = (required: boolean) =>
    inTenant(tenantId, 'PUT', `/api/evaluations/sets/${set!.setId}`, { ...settings, required });
  await requireSet(true);
  const refused = await botyard(tenantId, 'push', folder, '--replace-drafts');
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('did not go live') });
  expect((await botyard(tenantId, 'push', folder, '--replace-drafts')).output).toContain('cases/');
  const override = ['--replace-drafts', '--override', 'We know.'];
  expect(await botyard(tenantId, 'push', folder, ...override)).toMatchObject({ code: 0 });
  await requireSet(false);

  await inTenant(tenantId, 'PUT', `/api/definitions/agents/${agent.id}`, { description: 'Second.' });
  const released = await botyard(tenantId, 'release', 'Support', '--version', '1', '--share', '20');
  expect(released).toMatchObject({
    code: 0,
    output: expect.stringContaining('running, 20 % of new sessions'),
  });
  const ended = await botyard(tenantId, 'release', 'Support', '--withdraw', '--reason', 'worse');
  expect(ended).toMatchObject({ code: 0, output: expect.stringContaining('withdrawn, 0 %') });
});

test('hostile names stay within the folder and change no terminal', async () => {
  const tenantId = await newTenant('Hostile');
  const name = '../../x\u001b[2J\u202e';
  await inTenant(tenantId, 'POST', '/api/definitions/agents', {
    name,
    instructions: 'x',
    provider: 'private-llm',
    model: 'fake',
  });
  const folder = await newFolder();
  const pulled = await botyard(tenantId, 'pull', folder);
  expect(pulled).toEqual({ code: 0, output: 'new  agents/x-2j\n' });
  expect(await readdir(join(folder, 'agents'))).toEqual(['x-2j.md', 'x-2j.yaml']);
  await change(folder, 'agents/x-2j.md', 'x', 'y');
  const { output } = await botyard(tenantId, 'diff', folder);
  for (const hostile of ['\u001b', '\u202e']) expect(output).not.toContain(hostile);
});

test.each<[string, string, RegExp]>([
  ['a misspelled field', 'name: a\nkind: current_time\nsetings: {}\n', /there is no field "setings"/],
  ['a missing field', 'name: a\n', /the field "kind" is missing/],
  ['text that is not YAML', 'name: [\n', /is not YAML/],
  ['a list', '- a\n', /must have fields/],
  [
    'aliases that multiply',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`)}]`).join('\n')}\n`,
    /is not YAML/,
  ],
])('a file with %s is refused by its path, and nothing is pushed', async (_what, text, message) => {
  const tenantId = await newTenant('Broken');
  const folder = await newFolder();
  await mkdir(join(folder, 'tools'));
  await writeFile(join(folder, 'tools/bad.yaml'), text);
  const { code, output } = await botyard(tenantId, 'push', folder);
  expect([code, output]).toEqual([1, expect.stringMatching(message)]);
  expect(output).toMatch(/^botyard: tools\/bad\.yaml/);
  expect(await inTenant<unknown[]>(tenantId, 'GET', '/api/definitions/tools')).toEqual([]);
});

test('a link in the folder is not followed, in either direction', async () => {
  const { tenantId } = await fullTenant();
  const [folder, outside] = [await newFolder(), await newFolder()];
  await writeFile(join(outside, 'secret.yaml'), 'name: a\nkind: current_time\n');
  await mkdir(join(folder, 'tools'));
  await symlink(join(outside, 'secret.yaml'), join(folder, 'tools/clock.yaml'));
  for (const command of ['push', 'pull']) {
    const { code, output } = await botyard(tenantId, command, folder);
    expect([code, output]).toEqual([1, expect.stringContaining('must be a file, not a link')]);
  }
  expect(await read(outside, 'secret.yaml')).toBe('name: a\nkind: current_time\n');
});

test('an address without encryption gets no token', async () => {
  const env = { HOME: home, BOTYARD_TOKEN: 'secret' };
  const plain = await runCommand(['diff', '--url', 'http://bots.example'], { env });
  expect(plain).toMatchObject({ code: 2, output: expect.stringContaining('is not encrypted') });
});
