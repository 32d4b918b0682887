import { replyCreated } from '@botyard/contracts/events/agents';
import { replyDelivered } from '@botyard/contracts/events/webhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices, type TestBot } from '../../../agents-services.ts';
import { HandledChat } from '../../../takeover/chats.ts';
import { addTool, call, equippedBot } from './equipped.ts';

let services: AgentsServices;
let bot: TestBot;

beforeAll(async () => {
  services = await openAgentsServices();
  const kinds = ['offer_choices', 'hand_over'];
  const toolIds = await Promise.all(kinds.map((kind) => addTool(services, { name: kind, kind })));
  bot = await equippedBot(services, { instructions: 'Help.' }, { toolIds });
});
afterAll(() => services?.close());

/** The announced reply to a question, for which the model makes these calls. */
async function replyAfter(...replies: Parameters<AgentsServices['model']['replyInTurn']>) {
  const chat = new HandledChat(services, bot);
  services.model.replyInTurn(...replies);
  await chat.say('when do you deliver?');
  await chat.answers(1);
  await chat.isIdle();
  const rows = await services.harness.asOwner<{ data: string }>(
    'select data from agents.outbox where subject like $1 and data like $2',
    [`%.event.${replyCreated.name}.%`, `%${chat.conversationId}%`],
  );
  expect(rows).toHaveLength(1);
  return replyCreated.schema.parse(JSON.parse(rows[0]!.data));
}

const offer = (choices: unknown) => call('offer_choices', { choices });

test('the choices that a model offers are announced with the answer that follows', async () => {
  const reply = await replyAfter(offer(['Today', 'Tomorrow']), 'When shall we come?');
  expect(reply).toMatchObject({ text: 'When shall we come?', choices: ['Today', 'Tomorrow'] });
  const path = `/api/interactions/messages/${reply.replyId}`;
  const { body } = await services.agents.call('GET', path, { as: services.acme.admin });
  expect(body).toMatchObject({ text: 'When shall we come?', choices: ['Today', 'Tomorrow'] });
});

test('a reply that staff send again has its choices', async () => {
  const { harness, agents, acme } = services;
  const first = await replyAfter(offer(['Today', 'Tomorrow']), 'When shall we come?');
  const { tenantId, botId, conversationId, replyId } = first;
  const failure = { state: 'failed' as const, platformMessageIds: [], isUncertain: false, lastError: '502' };
  await harness.publish(replyDelivered, { tenantId, botId, conversationId, replyId, ...failure });
  await harness.settled('agents', 'webhooks');
  const path = `/api/interactions/undelivered/${replyId}/resend`;
  const { status, body } = await agents.call('POST', path, { as: acme.admin });
  expect({ status, choices: body.choices }).toEqual({ status: 201, choices: first.choices });
  const [row] = await harness.asOwner<{ data: string }>('select data from agents.outbox where data like $1', [
    `%"replyId":"${body.messageId}"%`,
  ]);
  expect(replyCreated.schema.parse(JSON.parse(row!.data)).choices).toEqual(first.choices);
});

test('the latest offer of a turn counts', async () => {
  const reply = await replyAfter(offer(['Today']), offer(['Tomorrow']), 'When shall we come?');
  expect(reply.choices).toEqual(['Tomorrow']);
});

test.each([
  ['a thousand', Array.from({ length: 1000 }, (_, index) => `choice ${index}`)],
  ['ones of 10 kB', ['x'.repeat(10_000), 'No']],
  ['the same twice', ['Yes', 'Yes']],
  ['ones with line breaks', ['Yes\nNo']],
  ['objects', [{ text: 'Yes' }]],
])('%s are refused, and the answer comes without them', async (_name, choices) => {
  const reply = await replyAfter(offer(choices), 'When shall we come?');
  expect(reply.text).toBe('When shall we come?');
  expect(reply.choices).toBeUndefined();
});

test('a chat that is handed over in the same turn gets no choices', async () => {
  const { toolCalls } = call('hand_over', { reason: 'They ask for a person.' });
  const reply = await replyAfter({ toolCalls: [...offer(['Today']).toolCalls, ...toolCalls] });
  expect(reply.choices).toBeUndefined();
});
