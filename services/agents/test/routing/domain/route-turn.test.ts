import { randomInt } from 'node:crypto';
import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
} from '../../agents-services.ts';
import { apologyFor } from '../../in-english.ts';
import { createTeam, lastTriage, type Team } from './team.ts';

let services: AgentsServices;
let team: Team;

beforeAll(async () => {
  services = await openAgentsServices();
  team = await createTeam(services);
});

beforeEach(() => services.harness.asOwner('delete from agents.bot_assignments'));

afterAll(() => services?.close());

const asAdmin = (method: string, path: string, body?: unknown) =>
  services.agents.call(method, path, { as: services.acme.admin, body });

async function assign(body: Record<string, unknown>): Promise<string> {
  const answer = await asAdmin('POST', '/api/bot-assignment', { botId: team.botId, ...body });
  expect(answer.status).toBe(201);
  return answer.body.assignmentId;
}

const groupPlace = (threadId?: string): InboundMessage['chat'] => ({
  platformChatId: `-100${randomInt(1e9)}`,
  kind: 'group',
  title: 'Team',
  ...(threadId ? { threadId } : {}),
});

describe('a name at the beginning of a message', () => {
  test('chooses the agent, which stays, and the model sees the words behind it', async () => {
    const chat = new Chat(services, team);
    await chat.say('@billing it is broken');
    await chat.say('thank you');
    await chat.say('/agent repair hello', {
      text: 'repair hello',
      command: { name: 'agent', argument: 'repair hello' },
    });
    expect(await chat.answers(3)).toEqual(['Billing: it is broken', 'Billing: thank you', 'Repair: hello']);
    expect(await lastTriage(services, chat)).toMatchObject({ rule: 'explicit', agentId: team.repair });
  });

  test('alone chooses who answers next, without asking a model', async () => {
    const chat = new Chat(services, team);
    const calls = services.model.requests.count;
    await chat.say('@Billing');
    expect(await chat.answers(1)).toEqual(['Billing answers you now.']);
    expect(services.model.requests.count).toBe(calls);
    await chat.say('hello');
    expect((await chat.answers(2))[1]).toBe('Billing: hello');
  });

  test.each(['', 'nobody hello'])(
    'is answered with the list of agents if no agent has it (/agent %s)',
    async (argument) => {
      const chat = new Chat(services, team);
      await chat.say(argument, { command: { name: 'agent', argument } });
      const [answer] = await chat.answers(1);
      for (const name of ['Sales', 'Repair', 'Billing']) expect(answer).toContain(`- ${name}`);
      expect(await lastTriage(services, chat)).toBeNull();
    },
  );

  test('is ignored if a person has it: the message goes to the agent that its words fit', async () => {
    const chat = new Chat(services, team);
    await chat.say('@anna my phone is broken');
    expect(await chat.answers(1)).toEqual(['Repair: @anna my phone is broken']);
  });

  test('is shown as a line of text if it is hostile', async () => {
    const name = '**bold** [x](http://evil)\n- fake\u202e'.slice(0, 100);
    const agentIds = [await createAgent(services, services.acme, { name })];
    const chat = new Chat(services, await createBot(services, services.acme, { agentIds }));
    await chat.say('', { command: { name: 'agent', argument: '' } });
    const [answer = ''] = await chat.answers(1);
    expect(answer.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(1);
    expect(answer).toContain('\\*\\*bold\\*\\*');
    expect(answer).not.toContain('\u202e');
  });
});

describe('an assignment', () => {
  test('applies in its place from the next turn on, and no longer once it is deleted', async () => {
    const place = groupPlace('7');
    const [inTopic, inGeneral] = [new Chat(services, team), new Chat(services, team)];
    const { threadId: _, ...general } = place;
    await inTopic.say('hello', { chat: place });
    await inGeneral.say('hello', { chat: general });
    expect([...(await inTopic.answers(1)), ...(await inGeneral.answers(1))]).toEqual([
      'Sales: hello',
      'Sales: hello',
    ]);
    const groups = (await asAdmin('GET', `/api/bot-groups?botId=${team.botId}`)).body;
    const { groupId } = groups.find(
      (group: { platformChatId: string }) => group.platformChatId === place.platformChatId,
    );
    const everywhere = await assign({ agentId: team.billing, where: { groupId } });
    await assign({ agentId: team.repair, where: { groupId, threadId: '7' } });
    await inTopic.say('price', { chat: place });
    await inGeneral.say('price', { chat: general });
    expect([(await inTopic.answers(2))[1], (await inGeneral.answers(2))[1]]).toEqual([
      'Repair: price',
      'Billing: price',
    ]);
    expect(await lastTriage(services, inGeneral)).toMatchObject({
      rule: 'assignment',
      assignmentId: everywhere,
    });
    await asAdmin('DELETE', `/api/bot-assignment/${everywhere}`);
    await inGeneral.say('price price', { chat: general });
    expect((await inGeneral.answers(3))[2]).not.toBe('Repair: price price');
    expect(await lastTriage(services, inGeneral)).not.toHaveProperty('assignmentId');
  });

  test("looks at the words and at the language of the person's app", async () => {
    await assign({ agentId: team.billing, when: { keywords: ['Rechnung'], language: 'de' } });
    const speaking = async (language: string) => {
      const chat = new Chat(services, team);
      const sender = { platformUserId: '5512345678', name: 'Anna Keller', language };
      await chat.say('Meine RECHNUNG fehlt', { sender });
      return (await chat.answers(1))[0]?.split(':')[0];
    };
    expect([await speaking('de-AT'), await speaking('en')]).toEqual(['Billing', 'Sales']);
  });

  test('may name an agent outside the bot, which then answers there and nowhere else', async () => {
    const outside = await createAgent(services, services.acme, { name: 'Lawyer', instructions: 'Lawyer' });
    const [here, there] = [new Chat(services, team), new Chat(services, team)];
    await here.say('hello');
    await here.answers(1);
    const [chat] = (await asAdmin('GET', `/api/interactions/chats?botId=${team.botId}&limit=1`)).body;
    await assign({ agentId: outside, where: { chatId: chat.chatId } });
    await here.say('hello');
    await there.say('lawyer');
    expect([(await here.answers(2))[1], ...(await there.answers(1))]).toEqual([
      'Lawyer: hello',
      'Sales: lawyer',
    ]);
    await services.harness.asOwner('update agents.agent_definitions set is_enabled = false where id = $1', [
      outside,
    ]);
    await here.say('hello');
    expect((await here.answers(3))[2]).toBe('Sales: hello');
  });

  test('is the same as the preview of that chat, with the agent that answered last', async () => {
    const chat = new Chat(services, team);
    await chat.say('it is broken');
    await chat.answers(1);
    const [{ chatId }] = (await asAdmin('GET', `/api/interactions/chats?botId=${team.botId}&limit=1`)).body;
    const preview = async (body: object) =>
      (await asAdmin('POST', '/api/agents/triage-preview', { message: 'hello', ...body })).body;
    expect(await preview({ botId: team.botId })).toMatchObject({ rule: 'default', agentId: team.sales });
    expect(await preview({ chatId })).toMatchObject({ rule: 'sticky', agentId: team.repair });
    const assignmentId = await assign({ agentId: team.billing, where: { chatId } });
    const shown = await preview({ chatId, botId: team.botId });
    expect(shown).toMatchObject({ rule: 'assignment', agentId: team.billing, assignmentId });
    await chat.say('hello');
    await chat.answers(2);
    expect(await lastTriage(services, chat)).toEqual(shown);
  });
});

test('a preview knows the agents that a bot was given a moment ago, before they are announced', async () => {
  const { botId } = await createBot(services, services.acme, { agentIds: [team.sales] });
  await services.harness.settled('agents', 'tenancy');
  await services.harness.asOwner(
    'update tenancy.bots set agent_ids = array[$2::uuid], revision = revision + 1 where bot_id = $1',
    [botId, team.repair],
  );
  const { body } = await asAdmin('POST', '/api/agents/triage-preview', { message: 'hello', botId });
  expect(body).toMatchObject({ agentId: team.repair, candidates: [{ agentId: team.repair }] });
});

test('a bot whose agents are all disabled answers with one safe sentence, and calls no model', async () => {
  const agentIds = [await createAgent(services, services.acme), await createAgent(services, services.acme)];
  const bot = await createBot(services, services.acme, { agentIds });
  await services.harness.asOwner(
    'update agents.agent_definitions set is_enabled = false where id = any ($1)',
    [agentIds],
  );
  const calls = services.model.requests.count;
  const chat = new Chat(services, bot);
  await chat.say('hello');
  expect(await chat.answers(1)).toEqual([apologyFor('agent disabled')]);
  expect(services.model.requests.count).toBe(calls);
  expect(await lastTriage(services, chat)).toEqual({
    agentId: null,
    candidates: [],
    fallback: null,
    excluded: agentIds.map((agentId) => ({ agentId, reasons: ['disabled'] })),
  });
});
