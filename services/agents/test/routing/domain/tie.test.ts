import { turnCompleted } from '@botyard/contracts/events/agents';
import { eventually } from '@botyard/testing/eventually';
import { contentText, type ModelRequest } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';
import { lastTriage } from './team.ts';

let services: AgentsServices;
let bot: TestBot;

beforeAll(async () => {
  services = await openAgentsServices({ TRIAGE_MODEL: 'private-llm/small' });
  const about = { keywords: ['tea'], provider: 'private-llm' };
  const agentIds = [
    await createAgent(services, services.acme, { ...about, name: 'Green', instructions: 'Green' }),
    await createAgent(services, services.acme, { ...about, name: 'Black', instructions: 'Black' }),
    await createAgent(services, services.acme, { name: 'Coffee', instructions: 'Coffee' }),
  ];
  bot = await createBot(services, services.acme, { agentIds });
  await services.harness.settled('agents', 'tenancy');
});

beforeEach(() => services.model.clearFaults());

afterAll(() => services?.close());

const isChoice = ({ messages }: ModelRequest) =>
  contentText(messages[0]!).startsWith('A message has to be given');

/** The model's reply when it is asked to choose; agents reply with their own names. */
const choosing = (reply: string | (() => Promise<string>)) =>
  services.model.replyWith((request) => {
    if (!isChoice(request)) return contentText(request.messages[0]!);
    return typeof reply === 'string' ? reply : reply();
  });

const countChoices = () => services.model.requests.all.filter(isChoice).length;

async function say(text: string) {
  const chat = new Chat(services, bot);
  const before = countChoices();
  await chat.say(text);
  const [answer] = await chat.answers(1);
  return { chat, answer, choices: countChoices() - before, triage: await lastTriage(services, chat) };
}

/** The events that count the use in a chat, in their order. */
async function completedTurns({ conversationId }: Chat) {
  const rows = await services.harness.asOwner<{ data: string }>(
    'select data from agents.outbox where subject like $1 order by id',
    [`%.event.${turnCompleted.name}.%.${conversationId}`],
  );
  return rows.map(({ data }) => JSON.parse(data));
}

describe('in a tie', () => {
  test('a model chooses among the equally good ones, and its use is counted, but not as an answered message', async () => {
    choosing('2');
    const { chat, answer, choices, triage } = await say('tea');
    expect({ answer, choices }).toEqual({ answer: 'Black', choices: 1 });
    expect(triage).toMatchObject({
      rule: 'tie-model',
      agentId: bot.agentIds[1],
      tied: bot.agentIds.slice(0, 2),
    });
    const choiceRequest = services.model.requests.all.findLast(isChoice)!;
    expect(choiceRequest.model).toBe('small');
    expect(contentText(choiceRequest.messages[0]!)).not.toContain('Coffee');
    const [choice, turn, ...more] = await completedTurns(chat);
    expect(more).toEqual([]);
    expect(choice).toMatchObject({ outcome: 'command', model: 'small', agentId: null, toolCalls: 0 });
    expect(choice.inputTokens).toBeGreaterThan(0);
    expect(turn).toMatchObject({ outcome: 'answered', agentId: bot.agentIds[1] });
    await services.harness.settled('usage', 'agents');
    const [log] = await services.harness.asOwner(
      `select count(*)::int as entries, sum((outcome = 'answered')::int)::int as messages from usage.log_entries
       where conversation_id = $1`,
      [chat.conversationId],
    );
    expect(log).toEqual({ entries: 2, messages: 1 });
  });

  test.each(['', 'none', '0', '7', 'Black'])(
    'an answer such as %j leaves the choice by words unchanged',
    async (reply) => {
      choosing(reply || ' ');
      const { answer, triage } = await say('tea');
      expect(answer).toBe('Green');
      expect(triage).toMatchObject({ rule: 'match', tied: bot.agentIds.slice(0, 2) });
    },
  );

  test("the platform's model is paid for its choice, even if the person stops the turn before", async () => {
    const never = Promise.withResolvers<string>();
    choosing(() => never.promise);
    const chat = new Chat(services, bot);
    const nextRequest = services.model.nextRequest();
    await chat.say('tea');
    await nextRequest;
    await chat.say('/stop', { command: { name: 'stop', argument: '' } });
    await chat.answers(1);
    never.resolve('2');
    const [choice] = await eventually('its use is counted', async () => {
      const events = await completedTurns(chat);
      return events.length > 1 && events;
    });
    expect(choice).toMatchObject({ outcome: 'command', model: 'small', keySource: 'platform' });
    expect(choice.inputTokens).toBeGreaterThan(0);
  });

  test('a model that is slower than 5 seconds is not waited for', async () => {
    const never = Promise.withResolvers<string>();
    choosing(() => never.promise);
    const { answer, triage } = await say('tea');
    never.resolve('2');
    expect({ answer, rule: triage?.rule }).toEqual({ answer: 'Green', rule: 'match' });
  });
});

test.each(['coffee', 'hello', '@black tea'])('for %j no model is asked who answers', async (text) => {
  choosing('2');
  expect((await say(text)).choices).toBe(0);
});

test('a preview names those that are tied, and asks no model', async () => {
  const before = services.model.requests.count;
  const { body } = await services.agents.call('POST', '/api/agents/triage-preview', {
    as: services.acme.member,
    body: { message: 'tea', botId: bot.botId },
  });
  expect(body).toMatchObject({ rule: 'match', agentId: bot.agentIds[0], tied: bot.agentIds.slice(0, 2) });
  expect(services.model.requests.count).toBe(before);
});
