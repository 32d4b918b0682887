import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Chat, createAgent, createBot } from '../../agents-services.ts';
import { asAdmin, type IntegrationsWorld, openIntegrations, putRule } from '../../integrations-world.ts';

let world: IntegrationsWorld;
beforeAll(async () => {
  world = await openIntegrations();
});
afterAll(() => world?.close());

const rulesPath = '/api/integrations/access-rules';
const groupsPath = '/api/integrations/groups';
const listRules = async () => (await asAdmin(world, 'GET', rulesPath)).body;

test('a rule about the same is replaced, one is deleted by its id, all without', async () => {
  const first = await putRule(world, { effect: 'allow', toolkit: 'Mail' });
  const again = await putRule(world, { effect: 'deny', toolkit: 'mail', note: 'not now' });
  expect(again).toMatchObject({ ruleId: first.ruleId, effect: 'deny', toolkit: 'mail', note: 'not now' });
  const other = await putRule(world, { effect: 'approval' });
  expect((await listRules()).map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual([
    other.ruleId,
    first.ruleId,
  ]);
  const foreign = await asAdmin(
    world,
    'DELETE',
    `${rulesPath}?ruleId=${first.ruleId}`,
    undefined,
    world.other,
  );
  expect(foreign.status).toBe(404);
  expect((await asAdmin(world, 'GET', rulesPath, undefined, world.other)).body).toEqual([]);
  expect((await asAdmin(world, 'DELETE', `${rulesPath}?ruleId=${first.ruleId}`)).status).toBe(204);
  expect(await listRules()).toHaveLength(1);
  expect((await asAdmin(world, 'DELETE', rulesPath)).status).toBe(204);
  expect(await listRules()).toEqual([]);
});

test('rules name groups of their tenant and kind, and a group that is named stays', async () => {
  const group = { name: 'Senders', kind: 'tools', members: ['MAIL_SEND', 'chat/*', 'MAIL_SEND'] };
  const { accessGroupId, members } = (await asAdmin(world, 'PUT', groupsPath, group)).body;
  expect(members).toEqual(['MAIL_SEND', 'chat/*']);
  const same = (await asAdmin(world, 'PUT', groupsPath, { ...group, members: ['MAIL_LIST'] })).body;
  expect(same).toMatchObject({ accessGroupId, members: ['MAIL_LIST'] });
  expect((await asAdmin(world, 'PUT', groupsPath, { ...group, kind: 'users', members: [] })).status).toBe(
    409,
  );
  expect((await asAdmin(world, 'PUT', groupsPath, { ...group, members: ['../x'] })).status).toBe(400);
  for (const wrong of [{ userGroupId: accessGroupId }, { toolGroupId: randomUUID() }])
    expect((await asAdmin(world, 'PUT', rulesPath, { effect: 'deny', ...wrong })).status).toBe(400);
  const foreign = { effect: 'allow', toolGroupId: accessGroupId };
  expect((await asAdmin(world, 'PUT', rulesPath, foreign, world.other)).status).toBe(400);
  const rule = await putRule(world, { effect: 'allow', toolGroupId: accessGroupId });
  const path = `${groupsPath}/${accessGroupId}`;
  expect((await asAdmin(world, 'DELETE', path)).status).toBe(409);
  expect((await asAdmin(world, 'DELETE', path, undefined, world.other)).status).toBe(404);
  await asAdmin(world, 'DELETE', `${rulesPath}?ruleId=${rule.ruleId}`);
  expect((await asAdmin(world, 'DELETE', path)).status).toBe(204);
});

test('rules name only bots and agents of their tenant', async () => {
  const agentId = await createAgent(world, world.acme);
  const { botId } = await createBot(world, world.acme, { agentIds: [agentId] });
  for (const about of [{ agentId }, { botId }]) {
    const rule = { effect: 'allow', ...about };
    const foreign = await asAdmin(world, 'PUT', rulesPath, rule, world.other);
    expect(foreign.status).toBe(404);
    expect((await asAdmin(world, 'GET', rulesPath, undefined, world.other)).body).toEqual([]);
    expect(await putRule(world, { effect: 'allow', ...about })).toMatchObject(rule);
  }
  for (const about of [{ agentId: randomUUID() }, { botId: randomUUID() }])
    expect((await asAdmin(world, 'PUT', rulesPath, { effect: 'deny', ...about })).status).toBe(404);
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
  const refused = await asAdmin(world, 'PUT', llmPath, { address });
  expect([refused.status, refused.body.allowedHosts]).toEqual([422, [new URL(world.model.url).host]]);
});

test("a tenant's own private LLM is used only for its agents", async () => {
  const { body } = await asAdmin(world, 'GET', llmPath);
  expect(body).toEqual({
    address: null,
    model: null,
    allowedHosts: [new URL(world.model.url).host],
    updatedAt: null,
  });
  const own = { address: `${world.model.url}/`, model: 'our-model' };
  expect((await asAdmin(world, 'PUT', llmPath, own)).body).toMatchObject({
    address: world.model.url,
    model: 'our-model',
  });
  for (const [people, model] of [
    [world.acme, 'our-model'],
    [world.other, 'default'],
  ] as const) {
    const bot = await createBot(world, people, { agentIds: [await createAgent(world, people)] });
    const chat = new Chat(world, bot);
    await chat.say('hello');
    await chat.answers(1);
    expect(world.model.requests.all.at(-1)?.model).toBe(model);
  }
  expect((await asAdmin(world, 'PUT', llmPath, { address: null })).body).toMatchObject({
    address: null,
    model: 'our-model',
  });
});
