import { randomInt, randomUUID } from 'node:crypto';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareSends } from '../../../src/delivery/domain/prepare.ts';
import type { ClaimedChat } from '../../../src/delivery/store/chats.ts';

let harness: ServiceHarness;

beforeAll(async () => {
  harness = await ServiceHarness.open();
});
afterAll(() => harness?.close());

const paces = { bot: { intervalMs: 40, burst: 2 }, chatBurst: 2, chatIntervalMs: () => 60_000 };

/** A claimed chat in which a reply of two parts waits, except for the given columns of the chat. */
async function claimed(
  of: Partial<ClaimedChat> = {},
  but: Record<string, string> = {},
): Promise<ClaimedChat> {
  const chat = {
    tenantId: randomUUID(),
    botId: randomUUID(),
    integrationId: randomUUID(),
    chatKey: String(randomInt(2 ** 40)),
    platform: 'messenger' as const,
    fence: -randomInt(2 ** 40),
    ...of,
  };
  const { tenantId, botId, integrationId, chatKey, fence } = chat;
  const columns = Object.entries(but);
  await harness.asOwner(
    `insert into webhooks.chats (tenant_id, bot_id, platform_chat_id, integration_id, fence, ready_at, lease_until
       ${columns.map(([name]) => `, ${name}`).join('')})
     values ($1, $2, $3, $4, $5, now(), now() ${columns.map(([, value]) => `, ${value}`).join('')})`,
    [tenantId, botId, chatKey, integrationId, fence],
  );
  const replyId = randomUUID();
  await harness.asOwner(
    `insert into webhooks.replies (tenant_id, reply_id, bot_id, integration_id, conversation_id, reply_seq, place, text, state)
     values ($1, $2, $3, $4, gen_random_uuid(), 1, '{}', 'one two', 'queued')`,
    [tenantId, replyId, botId, integrationId],
  );
  await harness.asOwner(
    `insert into webhooks.parts (tenant_id, part_id, reply_id, bot_id, platform_chat_id, payload, html, plain, state)
     select $1, gen_random_uuid(), $2, $3, $4, jsonb_build_object('text', text), '', '', 'queued'
     from unnest(array['one', 'two']) as text`,
    [tenantId, replyId, botId, chatKey],
  );
  return chat;
}

function preparing({ isClosing = false, unmade = new Map<string, number>() } = {}) {
  const journal = { isClosing, unmade };
  const heartbeat = { processId: randomUUID() };
  const deps = {
    database: harness.databaseAs('webhooks'),
    heartbeat,
    journal,
    platforms: { messenger: { paces } },
  } as unknown as Parameters<typeof prepareSends>[0];
  return (...chats: ClaimedChat[]) => prepareSends(deps, chats);
}

const partsOf = ({ chatKey }: ClaimedChat) =>
  harness.asOwner<{ part_id: string }>(
    'select part_id, state, sends, open_sends, is_uncertain from webhooks.parts where platform_chat_id = $1 order by position',
    [chatKey],
  );
const untouched = { state: 'queued', sends: 0, open_sends: 0 };

const chatOf = async ({ chatKey }: ClaimedChat) =>
  (
    await harness.asOwner(
      `select lease_until > now() + interval '5 seconds' as is_leased, ready_at > now() as waits, ready_at is null as is_idle,
         is_booked, extract(epoch from paced_until - now())::int as paced
       from webhooks.chats where platform_chat_id = $1`,
      [chatKey],
    )
  )[0];

test('the first part of each chat is begun, and counted against the paces, under a renewed lease', async () => {
  const [one, other] = [await claimed(), await claimed()];
  const prepared = await preparing()(one, other);
  expect(prepared).toMatchObject(
    [one, other].map((chat) => ({ chat, send: 1, openSends: 0, part: { payload: { text: 'one' } } })),
  );
  for (const chat of [one, other]) {
    expect(await partsOf(chat)).toMatchObject([{ state: 'sending', sends: 1, open_sends: 1 }, untouched]);
    expect(await chatOf(chat)).toMatchObject({ is_leased: true, paced: 60 });
  }
  expect(prepared[0]).toMatchObject({ part: { worthMs: expect.closeTo(3_600_000, -4) } });
});

test('nothing is begun in a chat that another worker holds, and its lease is not changed', async () => {
  const [lost, held] = [await claimed(), await claimed()];
  const prepared = await preparing()({ ...lost, fence: lost.fence - 1 }, held);
  expect(prepared).toMatchObject(['lost', { chat: held }]);
  expect(await partsOf(lost)).toMatchObject([untouched, untouched]);
  expect(await chatOf(lost)).toMatchObject({ is_leased: false });
});

test('a chat that is ahead of its pace is released, and is ready when it may send again', async () => {
  const chat = await claimed({}, { paced_until: "now() + interval '61 minutes'" });
  expect(await preparing()(chat)).toEqual([{ waitMs: expect.closeTo(3_600_000, -4) }]);
  expect(await partsOf(chat)).toMatchObject([untouched, untouched]);
  expect(await chatOf(chat)).toMatchObject({ is_leased: null, waits: true, is_booked: false });
});

test('a chat in which nothing is left is released until something new is queued', async () => {
  const chat = await claimed();
  await harness.asOwner('delete from webhooks.parts where platform_chat_id = $1', [chat.chatKey]);
  expect(await preparing()(chat)).toEqual(['empty']);
  expect(await chatOf(chat)).toMatchObject({ is_leased: null, is_idle: true });
});

test('a process that stops begins nothing, and leaves its chats to others at once', async () => {
  const chat = await claimed();
  expect(await preparing({ isClosing: true })(chat)).toEqual([{ waitMs: 0 }]);
  expect(await partsOf(chat)).toMatchObject([untouched, untouched]);
  expect(await chatOf(chat)).toMatchObject({ is_leased: null, waits: false, is_idle: false });
});

test("a bot begins as many sends at a time as its pace allows, without reducing another bot's; the others book slots", async () => {
  const ofBot = [await claimed()];
  const { tenantId, botId } = ofBot[0]!;
  for (let count = 0; count < 3; count++) ofBot.push(await claimed({ tenantId, botId }));
  const other = await claimed({ tenantId });
  const prepared = await preparing()(...ofBot, other);
  expect(prepared.map((one) => typeof one === 'object' && 'part' in one)).toEqual([
    true,
    true,
    false,
    false,
    true,
  ]);
  expect(prepared[2]).toEqual({ waitMs: 40 });
  expect(prepared[3]).toEqual({ waitMs: 80 });
  expect(await chatOf(ofBot[3]!)).toMatchObject({ is_leased: null, is_booked: true });
});

test("nothing is begun while the bot's next slots are reserved", async () => {
  const chat = await claimed();
  await harness.asOwner(
    `insert into webhooks.bot_paces (tenant_id, bot_id, paced_until, booked_until)
     values ($1, $2, now(), now() + interval '1 hour')`,
    [chat.tenantId, chat.botId],
  );
  expect(await preparing()(chat)).toEqual([{ waitMs: expect.closeTo(3_600_000, -4) }]);
  expect(await partsOf(chat)).toMatchObject([untouched, untouched]);
});

test.each([
  ['whose end is unknown begins again, as uncertain', undefined, { send: 2, openSends: 1 }, 2, true],
  ['that was not made is made, without being counted again', 1, { send: 1, openSends: 0 }, 1, false],
])('a send %s', async (_what, unmadeSend, begun, sends, isUncertain) => {
  const chat = await claimed();
  const [first] = await partsOf(chat);
  await harness.asOwner(
    "update webhooks.parts set state = 'sending', sends = 1, open_sends = 1 where part_id = $1",
    [first!.part_id],
  );
  const unmade = new Map(unmadeSend === undefined ? [] : [[first!.part_id, unmadeSend]]);
  expect(await preparing({ unmade })(chat)).toMatchObject([begun]);
  expect(await partsOf(chat)).toMatchObject([
    { state: 'sending', sends, open_sends: sends, is_uncertain: isUncertain },
    untouched,
  ]);
});
