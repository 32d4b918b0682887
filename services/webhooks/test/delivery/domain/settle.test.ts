import { randomInt, randomUUID } from 'node:crypto';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SendEnd } from '../../../src/delivery/domain/send-end.ts';
import { settleSends } from '../../../src/delivery/domain/settle.ts';
import { createAdapters } from '../../adapters.ts';

let harness: ServiceHarness;
let announced: { replyId: string; state: string }[];

beforeAll(async () => {
  harness = await ServiceHarness.open();
});
beforeEach(() => {
  announced = [];
});
afterAll(() => harness?.close());

/** The end of a send of a reply's only part, in a chat of its own. */
async function sentReply() {
  const [tenantId, botId, integrationId] = [randomUUID(), randomUUID(), randomUUID()];
  const [replyId, partId] = [randomUUID(), randomUUID()];
  const chatKey = String(randomInt(2 ** 40));
  const fence = -randomInt(2 ** 40);
  await harness.asOwner(
    `with chat as (insert into webhooks.chats (tenant_id, bot_id, platform_chat_id, integration_id, fence, ready_at, lease_until)
       values ($1, $2, $3, $4, $5, now(), now() + interval '8 seconds')),
     reply as (insert into webhooks.replies (tenant_id, reply_id, bot_id, integration_id, conversation_id, reply_seq, place,
       text, state) values ($1, $6, $2, $4, gen_random_uuid(), 1, '{}', 'Hello', 'queued'))
     insert into webhooks.parts (tenant_id, part_id, reply_id, bot_id, platform_chat_id, html, plain, state, sends, open_sends)
       values ($1, $7, $6, $2, $3, '', '', 'sending', 1, 1)`,
    [tenantId, botId, chatKey, integrationId, fence, replyId, partId],
  );
  const chat = { tenantId, botId, integrationId, platform: 'messenger' as const, chatKey, fence };
  return { tenantId, chat, partId, replyId, send: 1 };
}

type Sent = Awaited<ReturnType<typeof sentReply>>;
const arrived = (sent: Sent): SendEnd => ({ ...sent, end: 'sent', platformMessageId: '7' });

const outbox = {
  emit: async (_tx: unknown, _event: unknown, ...events: typeof announced) => announced.push(...events),
};

const settle = (ends: SendEnd[], options: { announcesLater?: boolean } = {}) =>
  settleSends(
    {
      database: harness.databaseAs('webhooks'),
      outbox: outbox as never,
      platforms: createAdapters({}),
      wakeSender: () => undefined,
    },
    ends,
    options,
  );

const stateOf = async ({ replyId }: Sent) =>
  (
    await harness.asOwner(
      `select r.state as reply, p.state as part, p.platform_message_id, p.is_uncertain, p.is_unannounced,
         c.lease_until is not null as is_leased, c.ready_at is not null as is_ready, c.ready_at > now() as waits
       from webhooks.replies r join webhooks.parts p using (reply_id)
       join webhooks.chats c on c.bot_id = p.bot_id and c.platform_chat_id = p.platform_chat_id
       where r.reply_id = $1`,
      [replyId],
    )
  )[0];

const queueAnother = ({ chat }: Sent) =>
  harness.asOwner(
    `insert into webhooks.parts (tenant_id, part_id, bot_id, platform_chat_id, html, plain, state)
     values ($1, gen_random_uuid(), $2, $3, '', '', 'queued')`,
    [chat.tenantId, chat.botId, chat.chatKey],
  );

test('sends of several tenants are settled together, and chats in which more waits are kept', async () => {
  const [done, next] = [await sentReply(), await sentReply()];
  await queueAnother(next);
  expect(await settle([arrived(done), arrived(next)])).toEqual(['empty', 'more']);
  const settled = { reply: 'sent', part: 'sent', platform_message_id: '7' };
  expect(await stateOf(done)).toMatchObject({ ...settled, is_leased: false, is_ready: false });
  expect(await stateOf(next)).toMatchObject({ ...settled, is_leased: true, is_ready: true });
  expect(new Set(announced.map(({ replyId }) => replyId))).toEqual(new Set([done.replyId, next.replyId]));
  expect(announced.every(({ state }) => state === 'sent')).toBe(true);
});

test('the end of a send is written once, and its reply announced once', async () => {
  const one = await sentReply();
  await settle([arrived(one)]);
  expect(await settle([{ ...arrived(one), platformMessageId: '8' }])).toEqual(['empty']);
  expect(await stateOf(one)).toMatchObject({ platform_message_id: '7' });
  expect(announced).toHaveLength(1);
});

test.each([
  [
    'another worker holds the chat: the outcome is written, and the chat is left to it',
    'update webhooks.chats set fence = fence - 1 where platform_chat_id = $1',
    'lost',
    { reply: 'sent', part: 'sent', is_leased: true },
  ],
  [
    'a later send was begun: nothing is written',
    'update webhooks.parts set sends = 2 where platform_chat_id = $1',
    'more',
    { reply: 'queued', part: 'sending', is_leased: true },
  ],
])('%s, and the others are settled', async (_what, change, settled, state) => {
  const [one, other] = [await sentReply(), await sentReply()];
  await harness.asOwner(change, [other.chat.chatKey]);
  expect(await settle([arrived(one), arrived(other)])).toEqual(['empty', settled]);
  expect(await stateOf(one)).toMatchObject({ reply: 'sent', part: 'sent', is_leased: false });
  expect(await stateOf(other)).toMatchObject(state);
});

test('the others are settled if the message of one was erased', async () => {
  const [one, erased] = [await sentReply(), await sentReply()];
  await harness.asOwner('delete from webhooks.parts where platform_chat_id = $1', [erased.chat.chatKey]);
  expect(await settle([arrived(one), arrived(erased)])).toEqual(['empty', 'empty']);
});

test('a send that is repeated later leaves its chat waiting, and announces nothing', async () => {
  const one = await sentReply();
  const later: SendEnd = { ...one, end: 'later', reason: 'no answer', waitMs: 60_000 };
  expect(await settle([later])).toEqual([{ waitMs: 60_000 }]);
  expect(await stateOf(one)).toMatchObject({
    part: 'queued',
    is_leased: false,
    waits: true,
    is_uncertain: false,
  });
  expect(announced).toEqual([]);
});

test('without the outbox outcomes are written, marked for their announcement, and chats continue', async () => {
  const [one, other] = [await sentReply(), await sentReply()];
  await queueAnother(other);
  expect(await settle([arrived(one), arrived(other)], { announcesLater: true })).toEqual(['empty', 'more']);
  expect(await stateOf(one)).toMatchObject({
    reply: 'queued',
    part: 'sent',
    is_unannounced: true,
    is_leased: false,
  });
  expect(announced).toEqual([]);
});

test('what changes the queue of a chat is left for later while the outbox may take nothing', async () => {
  const one = await sentReply();
  await queueAnother(one);
  const blocked: SendEnd = { ...one, end: 'refused', reason: 'blocked', blocksChat: true };
  expect(await settle([blocked], { announcesLater: true })).toEqual(['more']);
  const waiting = () =>
    harness.asOwner("select from webhooks.parts where platform_chat_id = $1 and state = 'queued'", [
      one.chat.chatKey,
    ]);
  expect(await waiting()).toHaveLength(1);
});
