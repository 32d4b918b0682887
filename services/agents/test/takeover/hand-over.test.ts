import { attentionNeeded } from '@botyard/contracts/events/agents';
import { EventReader } from '@botyard/testing/event-reader';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices, type TestBot } from '../agents-services.ts';
import { addTool, call, equippedBot } from '../answering/domain/loop/equipped.ts';
import { handoverNotice } from '../in-english.ts';
import { HandledChat } from './chats.ts';

let services: AgentsServices;
let bot: TestBot;
const readers: EventReader[] = [];

beforeAll(async () => {
  services = await openAgentsServices();
  const toolIds = [await addTool(services, { name: 'hand_over', kind: 'hand_over' })];
  bot = await equippedBot(services, { instructions: 'Help.' }, { toolIds });
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => services?.close());

async function listen(): Promise<EventReader> {
  const reader = await EventReader.open(services.agents, { as: services.acme.admin });
  readers.push(reader);
  return reader;
}

const reason = 'The parcel is lost.';

async function handedOver(): Promise<HandledChat> {
  const chat = new HandledChat(services, bot);
  services.model.replyInTurn(call('hand_over', { reason }));
  await chat.say('where is my parcel?');
  await chat.answers(1);
  await chat.isIdle();
  return chat;
}

test('an agent hands a chat over: the person gets a kind notice, and only a person answers', async () => {
  const reader = await listen();
  const chat = await handedOver();
  expect((await chat.replies()).map(({ text }) => text)).toEqual([handoverNotice]);
  const shown = await chat.shown();
  expect(shown).toMatchObject({ handling: 'person', assigneeUserId: null, handoverReason: reason });
  const update = await reader.first('chat.updated', ({ data }) => data.chatId === shown.chatId);
  expect({ ...update.data, isUnread: true }).toEqual(shown);
  const rows = await services.harness.asOwner<{ data: string }>(
    'select data from agents.outbox where subject like $1 and data like $2',
    [`%.event.${attentionNeeded.name}.%`, `%${chat.conversationId}%`],
  );
  const [asked] = (await chat.messages()).slice(-1);
  expect(rows.map(({ data }) => JSON.parse(data))).toEqual([
    expect.objectContaining({ kind: 'handover', id: asked.messageId }),
  ]);
  await chat.say('hello?');
  await chat.isSettled(2);
  expect(await chat.replies()).toHaveLength(1);
});

const turnsOf = ({ conversationId }: HandledChat) =>
  services.harness.asOwner<{ outcome: string; tool_calls: object[] }>(
    'select outcome, tool_calls from agents.turns where conversation_id = $1',
    [conversationId],
  );

test('its trace has the call and its reason, and its usage is counted once', async () => {
  const chat = await handedOver();
  expect(await turnsOf(chat)).toEqual([
    { outcome: 'answered', tool_calls: [expect.objectContaining({ name: 'hand_over', outcome: 'ok' })] },
  ]);
});

test('the new assignee sees the reason, and it is removed once the chat is given back', async () => {
  const chat = await handedOver();
  expect((await chat.takeOver()).body).toMatchObject({ handoverReason: reason });
  expect((await chat.handBack()).body).not.toHaveProperty('handoverReason');
  await chat.takeOver();
  expect(await chat.shown()).not.toHaveProperty('handoverReason');
});

test.each([' ', 'lost\0'])(
  "a call whose reason is %j, which can't be stored, is refused, and the agent continues",
  async (reason) => {
    const chat = new HandledChat(services, bot);
    services.model.replyInTurn(call('hand_over', { reason }), 'Then I help you myself.');
    await chat.say('where is my parcel?');
    expect(await chat.answers(1)).toEqual(['Then I help you myself.']);
    expect(await turnsOf(chat)).toMatchObject([{ tool_calls: [{ name: 'hand_over', outcome: 'refused' }] }]);
    expect(await chat.shown()).toMatchObject({ handling: 'bot' });
  },
);

test('a takeover, a new assignee and a handback are sent in the form of the list of chats', async () => {
  const chat = new HandledChat(services, bot);
  services.model.replyInTurn('Hello.');
  await chat.say('hello');
  await chat.answers(1);
  const reader = await listen();
  const { chatId } = (await chat.takeOver()).body;
  const isOfChat = (handling: string) => (event: { data: { chatId: string; handling: string } }) =>
    event.data.chatId === chatId && event.data.handling === handling;
  const update = await reader.first('chat.updated', isOfChat('person'));
  expect({ ...update.data, isUnread: true }).toEqual(await chat.shown());
  await chat.timePasses();
  const returned = await reader.first('chat.updated', isOfChat('bot'));
  expect({ ...returned.data, isUnread: true }).toEqual(await chat.shown());
});
