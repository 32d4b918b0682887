import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AgentsServices, Chat, openAgentsServices, startAgents } from '../../agents-services.ts';
import { Apps } from '../../app-calls.ts';
import { createTeam, lastTriage, type Team } from './team.ts';

let services: AgentsServices;
let apps: Apps;
let team: Team;

beforeAll(async () => {
  services = await openAgentsServices();
  // Whichever instance takes a turn, a change holds in it.
  await startAgents(services);
  apps = new Apps(services);
  team = await createTeam(services);
});
beforeEach(async () => {
  await services.harness.asOwner('delete from agents.app_bindings');
  await services.harness.asOwner('delete from agents.bot_assignments');
});
afterAll(() => services?.close());

const words = (name: string, agent: string, ...said: string[]) => ({
  name,
  agent,
  when: { match: 'words' as const, words: said },
});
const specOf = (...routes: object[]) => ({
  agents: [
    { key: 'repair', agentId: team.repair },
    { key: 'billing', agentId: team.billing },
  ],
  routes: routes as never,
});

const preview = async (message: string, more: object = {}) =>
  (
    await services.agents.call('POST', '/api/agents/triage-preview', {
      as: services.acme.member,
      body: { message, botId: team.botId, ...more },
    })
  ).body;

test('a binding applies from the next message on, in all instances, and so does its end', async () => {
  const appId = await apps.running(specOf(words('boats', 'repair', 'boat')));
  const chat = new Chat(services, team);
  const ask = async (count: number) => {
    await chat.say('a boat');
    return (await chat.answers(count)).at(-1);
  };
  for (let round = 0; round < 3; round += 1) {
    await services.harness.asOwner('update agents.conversations set sticky_agent_id = null');
    const bindingId = await apps.bind(appId, team.botId);
    expect(await ask(2 * round + 1)).toBe('Repair: a boat');
    await chat.isIdle();
    await apps.callOk('DELETE', `/${appId}/bindings/${bindingId}`, { status: 204 });
    await services.harness.asOwner('update agents.conversations set sticky_agent_id = null');
    expect(await ask(2 * round + 2)).toBe('Sales: a boat');
    await chat.isIdle();
  }
});

test('publishing and rolling back apply from the next message on; a draft never does', async () => {
  const appId = await apps.running(specOf(words('boats', 'repair', 'boat')), team.botId);
  await apps.put(appId, { specVersion: 1, ...specOf(words('boats', 'billing', 'boat')) });
  expect(await preview('a boat')).toMatchObject({ agentId: team.repair, app: { version: 1 } });
  await apps.publish(appId);
  expect(await preview('a boat')).toMatchObject({ agentId: team.billing, app: { version: 2 } });
  await apps.put(appId, { specVersion: 1, ...specOf(words('boats', 'nobody', 'boat')) });
  expect((await apps.call('POST', `/${appId}/publish`, {})).status).toBe(422);
  expect(await preview('a boat')).toMatchObject({ agentId: team.billing, app: { version: 2 } });
  await apps.callOk('POST', `/${appId}/rollback`, { body: { version: 1 }, status: 200 });
  const chat = new Chat(services, team);
  await chat.say('a boat');
  expect(await chat.answers(1)).toEqual(['Repair: a boat']);
  expect(await lastTriage(services, chat)).toMatchObject({
    rule: 'route',
    app: { appId, version: 3, route: 'boats' },
  });
});

test('a name has priority over an assignment, that over a route, and that over the words and the agent of the conversation', async () => {
  await apps.running(specOf(words('prices', 'repair', 'price')), team.botId);
  const body = { botId: team.botId, agentId: team.billing, when: { keywords: ['discount'] } };
  await services.agents.call('POST', '/api/bot-assignment', { as: services.acme.admin, body });
  expect(await preview('the price?')).toMatchObject({ agentId: team.repair, rule: 'route' });
  const assigned = await preview('a discount on the price?');
  expect(assigned).toMatchObject({ agentId: team.billing, rule: 'assignment' });
  expect(assigned.app).toBeUndefined();
  const passedOver = assigned.candidates.find(({ agentId }: { agentId: string }) => agentId === team.repair);
  expect(passedOver.reasons.join()).toContain(
    'the route prices of the app Desk leads to it, but an assignment',
  );
  expect(await preview('@sales a discount on the price?')).toMatchObject({
    agentId: team.sales,
    rule: 'explicit',
  });
});

test("an app's default answers messages that match nothing, and its agent stays in the conversation", async () => {
  const everything = { name: 'rest', agent: 'billing', when: { match: 'default' } };
  await apps.running(specOf(words('boats', 'repair', 'boat'), everything), team.botId);
  expect(await preview('hello')).toMatchObject({
    agentId: team.billing,
    rule: 'app-default',
    app: { route: 'rest' },
  });
  expect(await preview('it is broken')).toMatchObject({ agentId: team.repair, rule: 'match' });
  const chat = new Chat(services, team);
  await chat.say('a boat');
  await chat.say('hello');
  expect(await chat.answers(2)).toEqual(['Repair: a boat', 'Repair: hello']);
  expect(await lastTriage(services, chat)).toMatchObject({ rule: 'sticky' });
});

test('a command of an app is answered by its agent; built-in and unknown commands are not affected', async () => {
  const booking = { name: 'book', agent: 'repair', when: { match: 'command', command: 'book' } };
  await apps.running(specOf(booking), team.botId);
  const chat = new Chat(services, team);
  await chat.say('', { command: { name: 'book', argument: '' } });
  await chat.say('at ten', { command: { name: 'book', argument: 'at ten' } });
  await chat.say('', { command: { name: 'other', argument: '' } });
  const [alone, withWords, unknown] = await chat.answers(3);
  expect([alone, withWords]).toEqual(['Repair: /book', 'Repair: /book at ten']);
  expect(unknown).not.toMatch(/^(Repair|Sales|Billing):/);
  expect(await preview('/BOOK@some_bot now')).toMatchObject({ agentId: team.repair, app: { route: 'book' } });
  expect(await preview('/bookings now')).toMatchObject({ agentId: team.sales });
});

test('a binding to some chats applies only there, and a route for other bots nowhere', async () => {
  const appId = await apps.running(specOf(words('boats', 'repair', 'boat')));
  await apps.bind(appId, team.botId, { where: { kind: 'group' } });
  expect(await preview('a boat')).toMatchObject({ agentId: team.sales });
  const chat = new Chat(services, team);
  await chat.say('a boat');
  await chat.say('a boat');
  expect(await chat.answers(2)).toEqual(['Sales: a boat', 'Sales: a boat']);
  const group = new Chat(services, team);
  await group.say('a boat', { chat: { platformChatId: '-100123', kind: 'group', title: 'Team' } });
  expect(await group.answers(1)).toEqual(['Repair: a boat']);
});

test('a disabled agent of an app is skipped, and the record shows it', async () => {
  await apps.running(
    specOf(words('boats', 'repair', 'boat'), words('ships', 'billing', 'boat', 'ship')),
    team.botId,
  );
  await services.harness.asOwner('update agents.agent_definitions set is_enabled = false where id = $1', [
    team.repair,
  ]);
  expect(await preview('a boat')).toMatchObject({
    agentId: team.billing,
    app: { route: 'ships' },
    excluded: [{ agentId: team.repair }],
  });
  await services.harness.asOwner('update agents.agent_definitions set is_enabled = true');
});

test('among several apps the highest priority comes first, then the narrowest place, then the latest binding', async () => {
  const everything = (name: string, agent: string) => ({ name, agent, when: { match: 'everything' } });
  const one = await apps.running(specOf(everything('one', 'repair')), team.botId);
  const two = await apps.running(specOf(everything('two', 'billing')), team.botId);
  expect(await preview('hello')).toMatchObject({ app: { appId: two } });
  const bindingId = await apps.bind(one, team.botId, { where: { kind: 'private' } });
  const chat = new Chat(services, team);
  await chat.say('hello');
  expect(await chat.answers(1)).toEqual(['Repair: hello']);
  await apps.callOk('DELETE', `/${one}/bindings/${bindingId}`, { status: 204 });
  await apps.bind(one, team.botId, { where: { kind: 'private' }, priority: -1 });
  await chat.say('hello');
  expect((await chat.answers(2))[1]).toBe('Billing: hello');
});
