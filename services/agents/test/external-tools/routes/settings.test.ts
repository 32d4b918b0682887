import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Chat, createAgent, createBot } from '../../agents-services.ts';
import {
  asAdmin,
  type IntegrationsFixture,
  openIntegrationsFixture,
  putRule,
} from '../../integrations-fixture.ts';

let fixture: IntegrationsFixture;
beforeAll(async () => {
  fixture = await openIntegrationsFixture();
});
afterAll(() => fixture?.close());

const rulesPath = '/api/integrations/access-rules';
const groupsPath = '/api/integrations/groups';
const listRules = async () => (await asAdmin(fixture, 'GET', rulesPath)).body;

test('a rule about the same is replaced, one is deleted by its id, all without', async () => {
  const first = await putRule(fixture, { effect: 'allow', toolkit: 'Mail' });
  const again = await putRule(fixture, { effect: 'deny', toolkit: 'mail', note: 'not now' });
  expect(again).toMatchObject({ ruleId: first.ruleId, effect: 'deny', toolkit: 'mail', note: 'not now' });
  const other = await putRule(fixture, { effect: 'approval' });
  expect((await listRules()).map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual([
    other.ruleId,
    first.ruleId,
  ]);
  const foreign = await asAdmin(
    fixture,
    'DELETE',
    `${rulesPath}?ruleId=${first.ruleId}`,
    undefined,
    fixture.other,
  );
  expect(foreign.status).toBe(404);
  expect((await asAdmin(fixture, 'GET', rulesPath, undefined, fixture.other)).body).toEqual([]);
  expect((await asAdmin(fixture, 'DELETE', `${rulesPath}?ruleId=${first.ruleId}`)).status).toBe(204);
  expect(await listRules()).toHaveLength(1);
  expect((await asAdmin(fixture, 'DELETE', rulesPath)).status).toBe(204);
  expect(await listRules()).toEqual([]);
});

test('rules name groups of their tenant and kind, and a group that is named stays', async () => {
  const group = { name: 'Senders', kind: 'tools', members: ['MAIL_SEND', 'chat/*', 'MAIL_SEND'] };
  const { accessGroupId, members } = (await asAdmin(fixture, 'PUT', groupsPath, group)).body;
  expect(members).toEqual(['MAIL_SEND', 'chat/*']);
  const same = (await asAdmin(fixture, 'PUT', groupsPath, { ...group, members: ['MAIL_LIST'] })).body;
  expect(same).toMatchObject({ accessGroupId, members: ['MAIL_LIST'] });
  expect((await asAdmin(fixture, 'PUT', groupsPath, { ...group, kind: 'users', members: [] })).status).toBe(
    409,
  );
  expect((await asAdmin(fixture, 'PUT', groupsPath, { ...group, members: ['../x'] })).status).toBe(400);
  for (const wrong of [{ userGroupId: accessGroupId }, { toolGroupId: randomUUID() }])
    expect((await asAdmin(fixture, 'PUT', rulesPath, { effect: 'deny', ...wrong })).status).toBe(400);
  const foreign = { effect: 'allow', toolGroupId: accessGroupId };
  expect((await asAdmin(fixture, 'PUT', rulesPath, foreign, fixture.other)).status).toBe(400);
  const rule = await putRule(fixture, { effect: 'allow', toolGroupId: accessGroupId });
  const path = `${groupsPath}/${accessGroupId}`;
  expect((await asAdmin(fixture, 'DELETE', path)).status).toBe(409);
  expect((await asAdmin(fixture, 'DELETE', path, undefined, fixture.other)).status).toBe(404);
  await asAdmin(fixture, 'DELETE', `${rulesPath}?ruleId=${rule.ruleId}`);
  expect((await asAdmin(fixture, 'DELETE', path)).status).toBe(204);
});

test('rules name only bots and agents of their tenant', async () => {
  const agentId = await createAgent(fixture, fixture.acme);
  const { botId } = await createBot(fixture, fixture.acme, { agentIds: [agentId] });
  for (const about of [{ agentId }, { botId }]) {
    const rule = { effect: 'allow', ...about };
    const foreign = await asAdmin(fixture, 'PUT', rulesPath, rule, fixture.other);
    expect(foreign.status).toBe(404);
    expect((await asAdmin(fixture, 'GET', rulesPath, undefined, fixture.other)).body).toEqual([]);
    expect(await putRule(fixture, { effect: 'allow', ...about })).toMatchObject(rule);
  }
  for (const about of [{ agentId: randomUUID() }, { botId: randomUUID() }])
    expect((await asAdmin(fixture, 'PUT', rulesPath, { effect: 'deny', ...about })).status).toBe(404);
});

const llmPath = '/api/integrations/private-llm';

test.each([
  'http://169.254.169.254/v1',
  'https://evil.example/v1',
  'http://user:secret@127.0.0.1/v1',
  'file:///etc/passwd',
  'http://127.0.0.1:1/v1',
  'nonsense',
])('a private LLM at %s is refused', async (address) => {
  const refused = await asAdmin(fixture, 'PUT', llmPath, { address });
  const allowed = `allowed are ${new URL(fixture.model.url).host}`;
  expect([refused.status, refused.body]).toEqual([422, { error: expect.stringContaining(allowed) }]);
});

test("a tenant's own private LLM is used only for its agents", async () => {
  const { body } = await asAdmin(fixture, 'GET', llmPath);
  expect(body).toEqual({
    address: null,
    model: null,
    allowedHosts: [new URL(fixture.model.url).host],
    updatedAt: null,
  });
  const own = { address: `${fixture.model.url}/`, model: 'our-model' };
  expect((await asAdmin(fixture, 'PUT', llmPath, own)).body).toMatchObject({
    address: fixture.model.url,
    model: 'our-model',
  });
  for (const [people, model] of [
    [fixture.acme, 'our-model'],
    [fixture.other, 'default'],
  ] as const) {
    const bot = await createBot(fixture, people, { agentIds: [await createAgent(fixture, people)] });
    const chat = new Chat(fixture, bot);
    await chat.say('hello');
    await chat.answers(1);
    expect(fixture.model.requests.all.at(-1)?.model).toBe(model);
  }
  expect((await asAdmin(fixture, 'PUT', llmPath, { address: null })).body).toMatchObject({
    address: null,
    model: 'our-model',
  });
});
