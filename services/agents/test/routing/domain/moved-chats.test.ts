import { randomUUID } from 'node:crypto';
import { replyCreated } from '@botyard/contracts/events/agents';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';
import { migrate } from '../../chat-events.ts';

let services: AgentsServices;
let bot: TestBot;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
});

afterAll(() => services?.close());

const from = { chat: { platformChatId: '-41', kind: 'group', title: 'Friends' } } as const;
const to = { chat: { ...from.chat, platformChatId: '-1000000000041', migratedFrom: '-41' } } as const;
const migration = {
  fromChatId: '-41',
  toChatId: '-1000000000041',
  interimConversationId: randomUUID(),
};

const placesOf = async ({ conversationId }: Chat): Promise<unknown[]> => {
  await services.harness.settled('usage', 'agents');
  const rows = await services.harness.asOwner<{ data: string }>(
    'select data from agents.outbox where data like $1 and subject like $2 order by id',
    [`%${conversationId}%`, '%reply%'],
  );
  return rows.map(({ data }) => replyCreated.schema.parse(JSON.parse(data)).chat.platformChatId);
};

const lastQuestion = () => JSON.stringify(services.model.requests.last?.messages);

test.each(['before what is said there', 'after it'])(
  'a group that became another keeps its history, agent and place, if announced %s',
  async (when) => {
    const chat = new Chat(services, bot);
    await chat.say('my name is Anna', from);
    await chat.answers(1);
    const about = chat.message('unused');
    const moved = { ...migration, interimConversationId: randomUUID() };
    if (when === 'before what is said there') await migrate(services, about, moved);
    await chat.say('who am I?', { ...to, seq: 2 });
    await chat.answers(2);
    if (when === 'after it') await migrate(services, about, moved);
    expect(lastQuestion()).toContain('my name is Anna');
    expect(await placesOf(chat)).toEqual(['-41', '-1000000000041']);
    const [row] = await services.harness.asOwner<{ sticky: string; place: object }>(
      'select sticky_agent_id as sticky, place from agents.conversations where conversation_id = $1',
      [chat.conversationId],
    );
    expect(row).toMatchObject({ sticky: bot.agentIds[0], place: to.chat });
  },
);

test('earlier messages in the new chat are part of the history', async () => {
  const [chat, interim] = [new Chat(services, bot), new Chat(services, bot)];
  await chat.say('my name is Anna', from);
  await chat.answers(1);
  await interim.say('I live in Graz', { chat: { ...from.chat, platformChatId: '-1000000000041' } });
  await interim.answers(1);
  const about = chat.message('unused');
  await migrate(services, about, { ...migration, interimConversationId: interim.conversationId });
  await chat.say('who am I, and where?', { ...to, seq: 2 });
  await chat.answers(3);
  expect(lastQuestion()).toContain('my name is Anna');
  expect(lastQuestion()).toContain('I live in Graz');
  expect(await interim.written()).toEqual([]);
});

test('a group without messages has no history to move, and messages in the new one stay', async () => {
  const [chat, interim] = [new Chat(services, bot), new Chat(services, bot)];
  await interim.say('hello', { chat: { ...from.chat, platformChatId: '-1000000000041' } });
  await interim.answers(1);
  await migrate(services, chat.message('unused'), {
    ...migration,
    interimConversationId: interim.conversationId,
  });
  expect(await interim.written()).toHaveLength(1);
});
