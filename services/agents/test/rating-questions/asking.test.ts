import { randomUUID } from 'node:crypto';
import { replyCreated } from '@botyard/contracts/events/agents';
import { chatChanged, replyRated } from '@botyard/contracts/events/webhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, createBot, openAgentsServices, type TestBot } from '../agents-services.ts';
import { AskedChat } from './asked-chat.ts';

let services: AgentsServices;
let bot: TestBot;
let bots: Record<'asking' | 'other' | 'silent', TestBot>;

const question = 'Did that help you?';
const words = {
  en: { rating_question: 'Was that of use?', rating_yes: 'Very much', rating_no: 'Not really' },
};

beforeAll(async () => {
  services = await openAgentsServices();
  const { acme } = services;
  bots = {
    asking: await createBot(services, acme, { asksForRating: true }),
    other: await createBot(services, acme, { asksForRating: true, words }),
    silent: await createBot(services, acme),
  };
  bot = bots.asking;
});
afterAll(() => services?.close());

const answered = (of = bot, userId?: string) => AskedChat.answered(services, of, userId);
const set = (chat: AskedChat, column: string, value: string) =>
  services.harness.asOwner(
    `update agents.conversations set ${column} = ${value} where conversation_id = $1`,
    [chat.conversationId],
  );

test('ten minutes after the last answer the person is asked, in the words of the bot and with two choices', async () => {
  const chat = await answered(bots.other);
  const [waiting] = await chat.rows();
  expect(waiting!.waits_s).toBeGreaterThan(580);
  expect(waiting!.waits_s).toBeLessThanOrEqual(600);
  await chat.tenMinutesPass();
  expect(await chat.texts()).toEqual(['re: hello', 'Was that of use?']);
  const [answer, asked] = (await chat.messages())
    .filter(({ direction }: { direction: string }) => direction === 'out')
    .reverse();
  const choices = ['Very much', 'Not really'];
  expect(asked).toMatchObject({ author: { kind: 'bot' }, choices, ratedMessageId: answer.messageId });
  const [event] = await services.harness.asOwner<{ data: string }>(
    'select data from agents.outbox where data like $1',
    [`%"replyId":"${asked.messageId}"%`],
  );
  const sent = replyCreated.schema.parse(JSON.parse(event!.data));
  expect(sent).toMatchObject({ text: 'Was that of use?', choices, author: 'bot', replySeq: 2 });
  expect(Date.parse(sent.answerUntil!)).toBeLessThan(Date.now() + 11 * 60_000);
});

test('a bot without the setting asks nobody', async () => {
  expect(await (await answered(bots.silent)).rows()).toEqual([]);
});

test('a later answer is asked about in place of the earlier one, ten minutes after it', async () => {
  const chat = await answered();
  const [first] = await chat.rows();
  await services.harness.asOwner(
    `update agents.rating_questions set ready_at = now() + interval '1 minute' where reply_id = $1`,
    [first!.reply_id],
  );
  await chat.asks('and now?');
  const [later] = await chat.rows();
  expect(later!.waits_s).toBeGreaterThan(590);
  expect(later!.reply_id).toBe((await chat.replies())[1]!.message_id);
});

test('a person is asked once a week, by whichever bot of the tenant', async () => {
  const chat = await answered();
  await chat.tenMinutesPass();
  const [asked] = await chat.rows();
  expect(Math.round(asked!.waits_s / 86_400)).toBe(7);
  await chat.asks('thanks');
  const elsewhere = await answered(bots.other, chat.userId);
  expect([await chat.rows(), await elsewhere.rows()]).toMatchObject([[{ asked_at: expect.any(Date) }], []]);
  await services.harness.asOwner(
    `update agents.rating_questions set asked_at = asked_at - interval '7 days', ready_at = ready_at - interval '7 days'
     where asked_at is not null`,
  );
  await chat.tenMinutesPass();
  expect(await chat.rows()).toEqual([]);
  await elsewhere.asks('hello again');
  await elsewhere.tenMinutesPass();
  expect(await elsewhere.texts()).toEqual(['re: hello', 're: hello again', 'Was that of use?']);
  expect(await chat.texts()).toEqual(['re: hello', question, 're: thanks']);
});

test('two chats of a person that are due at once ask one question', async () => {
  const chat = await answered();
  const elsewhere = await answered(bots.other, chat.userId);
  expect([await chat.rows(), await elsewhere.rows()]).toMatchObject([[], [{ asked_at: null }]]);
});

test.each<[string, (chat: AskedChat) => unknown]>([
  ['a person took the chat over', (chat) => chat.takeOver()],
  [
    'staff wrote since, and gave the chat back',
    async (chat) => {
      await chat.takeOver();
      await chat.write('I am Mary.');
      await chat.handBack();
    },
  ],
  ['the person wrote since', (chat) => chat.say('one more thing', { isAddressed: false })],
  ['the person said /stop', (chat) => chat.asks('/stop', { command: { name: 'stop', argument: '' } })],
  ['the person began anew', (chat) => chat.asks('/new', { command: { name: 'new', argument: '' } })],
  [
    'the chat is snoozed',
    (chat) => set(chat, 'state', `'snoozed', snoozed_until = now() + interval '1 hour'`),
  ],
  ['the chat is resolved', (chat) => chat.call('PUT', '', { state: 'resolved' })],
  ['the chat waits for staff', (chat) => set(chat, 'state', `'waiting'`)],
  ['the answer did not arrive', (chat) => chat.arrives('failed')],
  [
    'the answer is rated with a thumb',
    async (chat) => {
      const replyId = (await chat.replies())[0]!.message_id;
      const { conversationId } = chat;
      const rated = {
        ...bot,
        conversationId,
        replyId,
        rating: 'up' as const,
        ratedAt: new Date().toISOString(),
      };
      await services.harness.publish(replyRated, rated);
    },
  ],
  [
    'the person blocked the bot',
    (chat) =>
      services.harness.publish(chatChanged, {
        tenantId: bot.tenantId,
        botId: bot.botId,
        integrationId: randomUUID(),
        platform: 'messenger',
        platformChatId: chat.userId,
        state: 'blocked',
        changedAt: new Date().toISOString(),
      }),
  ],
  [
    'a call waits for an approval or for a form',
    async (chat) =>
      services.harness.asOwner(
        `insert into agents.tool_tickets (tenant_id, ticket_id, status, conversation_id, bot_id, agent_id, tool_id, tool_name,
           toolkit, tool, arguments_hash, requesters, arguments, requester_ids, expires_at, next_at)
         values ($1, gen_random_uuid(), 'pending', $2, $3, gen_random_uuid(), gen_random_uuid(), 'x', 'x', 'x', '', '[]', '{}', '{}',
           now() + interval '1 day', now() + interval '1 day')`,
        [bot.tenantId, chat.conversationId, bot.botId],
      ),
  ],
  [
    'the person is muted',
    async (chat) => {
      const body = { platform: 'messenger', platformUserId: chat.userId };
      await services.tenancy.call('POST', '/api/auth/moderation', { as: services.acme.admin, body });
    },
  ],
  [
    'the person was erased',
    ({ userId }) =>
      services.harness.asOwner(
        `insert into agents.erased_people (tenant_id, person_id, erased_before)
         select tenant_id, person_id, now() from agents.people where platform_user_id = $1`,
        [userId],
      ),
  ],
])('nobody is asked when %s', async (_reason, happens) => {
  const chat = await answered();
  await happens(chat);
  await services.harness.settled('agents', 'webhooks');
  await chat.isIdle();
  const before = await chat.texts();
  await chat.tenMinutesPass();
  expect(await chat.rows()).toEqual([]);
  expect(await chat.texts()).toEqual(before);
  expect(before).not.toContain(question);
});

test('an hour later, such as after an outage, nobody is asked any more', async () => {
  const chat = await answered();
  await chat.tenMinutesPass('61 minutes');
  expect([await chat.rows(), await chat.texts()]).toEqual([[], ['re: hello']]);
});

test.each<[string, (of: TestBot) => Promise<unknown>]>([
  ['disabled', (of) => change(of, { enabled: false })],
  ['told not to ask', (of) => change(of, { asksForRating: false })],
  [
    'deleted',
    ({ tenantId, botId }) =>
      services.tenancy.call('DELETE', `/api/bots/${tenantId}/${botId}`, { as: services.acme.admin }),
  ],
])('a bot that is %s since its answer asks nobody', async (_what, happens) => {
  const own = await createBot(services, services.acme, { asksForRating: true });
  const chat = await answered(own);
  await happens(own);
  await services.harness.settled('agents', 'tenancy');
  await chat.tenMinutesPass();
  expect([await chat.rows(), await chat.texts()]).toEqual([[], ['re: hello']]);
});

const change = ({ tenantId, botId }: TestBot, body: object) =>
  services.tenancy.call('PUT', `/api/bots/${tenantId}/${botId}`, { as: services.acme.admin, body });

test.each<[string, object]>([
  ['a group', { chat: { platformChatId: '-100', kind: 'group', title: 'All' } }],
  ['a mail', { platform: 'email' }],
])('after an answer in %s nobody is asked', async (_where, changed) => {
  const chat = new AskedChat(services, bot);
  await chat.say('hello', changed);
  await chat.answers(1);
  await chat.isIdle();
  expect(await chat.rows()).toEqual([]);
});
