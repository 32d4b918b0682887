import { randomUUID } from 'node:crypto';
import { withTenant } from '@botyard/shared/db/database';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginReplies } from '../../../src/delivery/store/begin-replies.ts';
import { lockNextReplySeqs } from '../../../src/delivery/store/replies.ts';

let harness: ServiceHarness;

beforeAll(async () => {
  harness = await ServiceHarness.open();
});
afterAll(() => harness?.close());

const processId = randomUUID();
const pace = { bot: { intervalMs: 40, burst: 2 }, chatBurst: 2 };

/** A reply of two parts that is next in its conversation, to a chat of its own. */
function newReply(change: { tenantId?: string; botId?: string; replySeq?: number } = {}) {
  const { tenantId = randomUUID(), botId = randomUUID(), replySeq = 1 } = change;
  const [replyId, conversationId, integrationId] = [randomUUID(), randomUUID(), randomUUID()];
  const platformChatId = String(Math.floor(Math.random() * 2 ** 40));
  const place = { platformChatId, kind: 'private' as const, title: 'Anna' };
  const of = { tenantId, replyId, botId, integrationId };
  const parts = ['one', 'two'].map((html) => ({
    ...of,
    partId: randomUUID(),
    platformChatId,
    threadId: null,
    platform: 'messenger' as const,
    payload: { html, text: html },
  }));
  const whenever = {
    askedAt: null as Date | null,
    answerUntil: null,
    stopsEarlier: false,
    isByStaff: false,
    traceparent: null,
  };
  const reply = {
    ...of,
    conversationId,
    replySeq,
    platform: 'messenger' as const,
    place,
    text: 'one two',
    ...whenever,
  };
  return { reply, personId: randomUUID(), parts, platformChatId, intervalMs: 60_000 };
}

type Reply = ReturnType<typeof newReply>;

const begin = (...replies: Reply[]) =>
  withTenant(
    harness.databaseAs('webhooks'),
    [...new Set(replies.map(({ reply }) => reply.tenantId))],
    async (tx) => {
      await lockNextReplySeqs(
        tx,
        replies.map(({ reply }) => reply),
      );
      return await beginReplies(tx, replies, { processId, ...pace });
    },
  );

const partsOf = ({ reply }: Reply) =>
  harness.asOwner(
    'select state, sends, open_sends from webhooks.parts where reply_id = $1 order by position',
    [reply.replyId],
  );

const chatOf = async ({ platformChatId }: Reply) =>
  (
    await harness.asOwner(
      'select owner, fence::float8 as fence, lease_until > now() as is_leased from webhooks.chats where platform_chat_id = $1',
      [platformChatId],
    )
  )[0];

/** The chat before the reply, with nothing queued, except for the given columns. */
const makeChat = ({ reply, platformChatId }: Reply, but: Record<string, string> = {}) => {
  const columns = Object.entries(but);
  return harness.asOwner(
    `insert into webhooks.chats (tenant_id, bot_id, platform_chat_id, integration_id, fence${columns.map(([name]) => `, ${name}`).join('')})
     values ($1, $2, $3, $4, 7${columns.map(([, value]) => `, ${value}`).join('')})`,
    [reply.tenantId, reply.botId, platformChatId, reply.integrationId],
  );
};

const nothingOf = async (one: Reply) => {
  expect(await partsOf(one)).toEqual([]);
  expect(
    await harness.asOwner('select 1 from webhooks.replies where reply_id = $1', [one.reply.replyId]),
  ).toEqual([]);
};

test.each([
  ['is new', async () => undefined],
  ['is free', makeChat],
])('a reply whose chat %s is queued, and its first part is begun under a lease', async (_how, make) => {
  const one = newReply();
  await make(one);
  const [begun] = await begin(one);
  expect(begun).toMatchObject({ replyId: one.reply.replyId, hasBegun: true, worthMs: 3_600_000 });
  expect(await partsOf(one)).toEqual([
    { state: 'sending', sends: 1, open_sends: 1 },
    { state: 'queued', sends: 0, open_sends: 0 },
  ]);
  expect(await chatOf(one)).toEqual({ owner: processId, fence: begun!.fence, is_leased: true });
});

test.each([
  ['has something queued', { ready_at: 'now()' }],
  ['is held by a worker', { lease_until: "now() - interval '1 second'" }],
  ['takes nothing', { blocked_at: 'now()' }],
  ['is ahead of its pace', { paced_until: "now() + interval '61 seconds'" }],
])('nothing is begun or queued in a chat that %s', async (_what, but) => {
  const one = newReply();
  await makeChat(one, but);
  expect(await begin(one)).toEqual([]);
  await nothingOf(one);
  expect(await chatOf(one)).toMatchObject({ fence: 7 });
});

test('nothing is begun or queued for a person who was erased since they asked', async () => {
  const [erased, asksAgain] = [newReply(), newReply()];
  for (const { reply, personId } of [erased, asksAgain])
    await harness.asOwner(
      'insert into webhooks.erased_people (tenant_id, person_id, erased_before) values ($1, $2, now())',
      [reply.tenantId, personId],
    );
  const inAMinute = new Date(Date.now() + 60_000);
  const asked = { ...asksAgain, reply: { ...asksAgain.reply, askedAt: inAMinute } };
  expect(await begin({ ...erased, reply: { ...erased.reply, askedAt: new Date(0) } }, asked)).toMatchObject([
    { replyId: asksAgain.reply.replyId },
  ]);
  await nothingOf(erased);
});

test('a reply with half of a surrogate pair is begun', async () => {
  const one = newReply();
  one.reply.text = one.parts[0]!.payload.html = one.parts[0]!.payload.text = 'broken \ud83d off';
  expect(await begin(one)).toMatchObject([{ hasBegun: true }]);
  expect(
    await harness.asOwner('select html from webhooks.parts where reply_id = $1 and state = $2', [
      one.reply.replyId,
      'sending',
    ]),
  ).toEqual([{ html: 'broken \ufffd off' }]);
});

test('a reply is not begun out of its turn', async () => {
  const one = newReply({ replySeq: 2 });
  expect(await begin(one)).toEqual([]);
  await nothingOf(one);
});

test('a reply that others wait for is left to be queued with them', async () => {
  const one = newReply();
  const { tenantId, conversationId, botId, integrationId } = one.reply;
  await harness.asOwner(
    `insert into webhooks.replies (tenant_id, reply_id, bot_id, integration_id, conversation_id, reply_seq, place, text, state)
     values ($1, gen_random_uuid(), $2, $3, $4, 2, '{}', 'later', 'waiting')`,
    [tenantId, botId, integrationId, conversationId],
  );
  expect(await begin(one)).toEqual([]);
  await nothingOf(one);
});

test('a reply to a group that became a supergroup is left to be queued for it', async () => {
  const one = newReply();
  await harness.asOwner(
    'insert into webhooks.chat_moves (tenant_id, bot_id, from_chat_id, to_chat_id) values ($1, $2, $3, $4)',
    [one.reply.tenantId, one.reply.botId, one.platformChatId, '-1001'],
  );
  expect(await begin(one)).toEqual([]);
  await nothingOf(one);
});

test("a bot begins as many concurrent sends as its pace allows, without reducing another bot's", async () => {
  const ofBot = [newReply()];
  const { tenantId, botId } = ofBot[0]!.reply;
  for (let count = 0; count < 3; count++) ofBot.push(newReply({ tenantId, botId }));
  const other = newReply({ tenantId });
  const begun = await begin(...ofBot, other);
  expect(begun).toHaveLength(3);
  expect(begun.every(({ hasBegun }) => hasBegun)).toBe(true);
  expect(begun.map(({ replyId }) => replyId)).toContain(other.reply.replyId);
});

test("nothing is begun while the bot's next places are given away", async () => {
  const one = newReply();
  await harness.asOwner(
    `insert into webhooks.bot_paces (tenant_id, bot_id, paced_until, booked_until)
     values ($1, $2, now(), now() + interval '1 hour')`,
    [one.reply.tenantId, one.reply.botId],
  );
  expect(await begin(one)).toEqual([]);
  await nothingOf(one);
});
