import { replyCreated } from '@botyard/contracts/events/agents';
import { withTenant } from '@botyard/shared/db/database';
import { typedSql } from '@botyard/shared/db/typed-sql';
import { contentText } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { said } from '../../src/conversations/store/messages.ts';
import { createSharedTurns } from '../../src/turns/domain/shared-turns.ts';
import { type AgentsServices, createBot, openAgentsServices, type TestBot } from '../agents-services.ts';
import { AskedChat } from './asked-chat.ts';

let services: AgentsServices;
let bot: TestBot;
let joining: TestBot;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme, { asksForRating: true });
  joining = await createBot(services, services.acme, { asksForRating: true, joinWindowMs: 3000 });
});
afterAll(() => services?.close());

const begun = (of = bot) => AskedChat.asked(services, of);
const statesOf = async (chat: AskedChat) => (await chat.written()).map(({ status }) => status);
const turnsOf = async ({ conversationId }: AskedChat) =>
  (await services.harness.asOwner('select from agents.turns where conversation_id = $1', [conversationId]))
    .length;

/** A message that gets no answer. */
async function says(chat: AskedChat, ...texts: string[]): Promise<void> {
  const count = (await chat.written()).length + texts.length;
  for (const text of texts) await chat.say(text);
  await chat.isSettled(count);
}

test('a pressed choice is a rating of the answer, a second one changes it, and no model is asked', async () => {
  const chat = await begun();
  const requestsBefore = services.model.requests.all.length;
  await says(chat, '👍 Yes');
  expect(await chat.ratings()).toEqual(['up']);
  await says(chat, '👎 No');
  expect(await chat.ratings()).toEqual(['down']);
  expect(services.model.requests.all).toHaveLength(requestsBefore);
  expect([await turnsOf(chat), (await chat.texts()).length]).toEqual([1, 2]);
  expect(await statesOf(chat)).toEqual(['answered', 'ignored', 'ignored']);
  const [press, , , answer] = await chat.messages();
  expect(press).toMatchObject({ text: '👎 No', ratedMessageId: answer.messageId });
  expect(answer).toMatchObject({ rating: 'down' });
});

test.each(['yes', ' Yes! ', '👍🏽'])('%j in reply to the question is a rating', async (text) => {
  const chat = await begun();
  await says(chat, text);
  expect(await chat.ratings()).toEqual(['up']);
});

test('another answer goes to the agent, who sees neither the question nor a rating', async () => {
  const chat = await begun();
  await says(chat, '👍 Yes');
  await chat.asks('Yes, but where is my parcel?');
  expect((await chat.texts()).at(-1)).toBe('re: Yes, but where is my parcel?');
  const shown = services.model.requests.last!.messages.map(contentText);
  expect(shown.slice(1)).toEqual(['hello', 're: hello', 'Yes, but where is my parcel?']);
});

test('once the bot has said something else, "no" is a message to the agent, and a pressed choice still a rating', async () => {
  const chat = await begun();
  await chat.asks('do you deliver on Sundays?');
  await chat.asks('no');
  expect((await chat.texts()).at(-1)).toBe('re: no');
  await chat.asks('/new', { command: { name: 'new', argument: '' } });
  await says(chat, '👎 No');
  expect(await chat.ratings()).toEqual(['down', null, null]);
});

test('a choice that is pressed while staff handle the chat is a rating', async () => {
  const chat = await begun();
  await chat.takeOver();
  await says(chat, '👍 Yes');
  expect(await chat.ratings()).toEqual(['up']);
});

test('a choice that is pressed together with messages is a rating, and the messages are answered', async () => {
  const chat = await begun(joining);
  await chat.say('thanks');
  await chat.say('👍 Yes');
  await chat.say('bye');
  const texts = await chat.answers(4);
  expect(texts.slice(2)).toEqual(['re: thanks', 're: bye']);
  expect(await chat.ratings()).toEqual(['up', null, null]);
});

test('a rating does not open a chat that staff have resolved, a message does', async () => {
  const chat = await begun();
  await chat.call('PUT', '', { state: 'resolved' });
  await says(chat, '👍 Yes');
  expect([await chat.ratings(), (await chat.shown()).state]).toEqual([['up'], 'resolved']);
  await chat.asks('one more thing');
  expect((await chat.shown()).state).toBe('open');
});

test('the choices of a question that is no longer stored reach no agent', async () => {
  const chat = await begun();
  await services.harness.asOwner(
    'delete from agents.messages where conversation_id = $1 and rated_reply_id is not null',
    [chat.conversationId],
  );
  await says(chat, '👍 Yes');
  expect([await statesOf(chat), (await chat.texts()).length]).toEqual([['answered', 'ignored'], 1]);
});

test('in a chat without a question the same words are a message', async () => {
  const chat = await AskedChat.answered(services, bot);
  await chat.asks('👍 Yes');
  expect((await chat.texts()).at(-1)).toBe('re: 👍 Yes');
});

test('a question that staff send again is still one', async () => {
  const chat = await begun();
  await chat.arrives('failed');
  const questionId = (await chat.replies()).at(-1)!.message_id;
  const path = `/api/interactions/undelivered/${questionId}/resend`;
  const { status, body } = await services.agents.call('POST', path, { as: services.acme.admin });
  expect({ status, body }).toMatchObject({ status: 201, body: { ratedMessageId: expect.any(String) } });
  const [row] = await services.harness.asOwner<{ data: string }>(
    'select data from agents.outbox where data like $1',
    [`%"replyId":"${body.messageId}"%`],
  );
  expect(replyCreated.schema.parse(JSON.parse(row!.data)).choices).toEqual(['👍 Yes', '👎 No']);
});

test('a rating is saved with the end of its turn: a process that has lost the conversation saves none', async () => {
  const chat = await begun();
  const { tenantId } = services.acme;
  const { conversationId } = chat;
  const [row] = await services.harness.asOwner<{ fence: number; next_seq: number; reply_id: string }>(
    `select c.fence::int, c.next_seq::int, t.reply_id
     from agents.conversations c join agents.turns t using (tenant_id, conversation_id)
     where conversation_id = $1`,
    [conversationId],
  );
  const [message] = await withTenant(services.harness.databaseAs('agents'), [tenantId], (tx) =>
    tx.query({
      name: 'test.messages.first',
      text: typedSql`select ${said} from agents.messages where conversation_id = $1 and direction = 'in'`,
      values: [conversationId],
    }),
  );
  const { fence, next_seq: nextSeq, reply_id: replyId } = row!;
  const { turnEnds } = createSharedTurns(services.harness.databaseAs('agents'));
  const endWith = (heldFence: number) =>
    turnEnds.run({
      conversation: { tenantId, botId: bot.botId, conversationId, fence: heldFence, nextSeq },
      row: { status: 'ignored', nextSeq },
      messages: [message!],
      rating: { replyId, rating: 'up' },
      events: [],
      eventsIfSilenced: [],
    });
  expect(await endWith(fence - 1)).toBeUndefined();
  expect(await chat.ratings()).toEqual([null]);
  expect(await endWith(fence)).toMatchObject({ isSilenced: false });
  expect(await chat.ratings()).toEqual(['up']);
});
