import { randomUUID } from 'node:crypto';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { createLog } from '@botyard/shared/log/log';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queueReplies } from '../../../src/delivery/domain/queue.ts';
import type { BegunPart, ChatToServe } from '../../../src/delivery/domain/send.ts';
import type { SendJournal } from '../../../src/delivery/domain/send-journal.ts';
import { passOverMissing } from '../../../src/housekeeping/domain/overdue-replies.ts';
import { listOverdueConversations } from '../../../src/housekeeping/store/overdue-replies.ts';
import { TextWorker } from '../../../src/text-threads/domain/text-worker.ts';
import { createAdapters } from '../../adapters.ts';
import { conversationOf, partsIn, type Reply } from '../../replies.ts';
import {
  closeWebhooksServices,
  newIntegration,
  openWebhooksServices,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;

beforeAll(async () => {
  services = await openWebhooksServices();
});

afterAll(() => closeWebhooksServices(services));

/** Nothing is announced here. */
const texts = new TextWorker(createLog('test', 'silent'));
const deps = {
  outbox: undefined as never,
  wakeSender: () => undefined,
  heartbeat: { processId: randomUUID() },
  journal: undefined as never,
  sending: { reserve: () => undefined },
  platforms: createAdapters({ texts }),
};
afterAll(() => texts.stop());

const kept = ({ chat: place, file, template, choices, ...reply }: Reply) => ({
  ...reply,
  file: file ?? null,
  template: template ?? null,
  choices: choices ?? null,
  place,
  platform: 'messenger' as const,
  askedAt: null,
  answerUntil: null,
  stopsEarlier: false,
  isByStaff: false,
  isAnswer: false,
  traceparent: null,
});

function open() {
  const database = services.harness.databaseAs('webhooks');
  const conversation = conversationOf(newIntegration(services));
  const queue = (reply: Reply) =>
    withTenant(database, [reply.tenantId], (tx) => queueReplies(deps, tx, [kept(reply)]));
  const queued = async () =>
    (
      await services.harness.asOwner<{ plain: string }>(
        'select plain from webhooks.parts where platform_chat_id = $1 order by position',
        [conversation.platformChatId],
      )
    ).map(({ plain }) => plain);
  return { ...conversation, database, queue, queued };
}

test('a conversation continues without a reply that never arrived; if it arrives late, it is sent then', async () => {
  const { reply, queue, queued, database } = open();
  const [missing, second, third, fourth] = ['one', 'two', 'three', 'four'].map((text) => reply(text));
  await queue(second!);
  await queue(third!);
  expect(await queued()).toEqual([]);
  const overdue = () => withPlatform(database, 'test', listOverdueConversations);
  expect(await overdue()).toEqual([]);
  await services.harness.asOwner("update webhooks.replies set created_at = now() - interval '4 minutes'");
  const { tenantId, conversationId } = second!;
  expect(await overdue()).toEqual([{ tenantId, conversationId }]);
  await withTenant(database, [tenantId], (tx) => passOverMissing(deps, tx, { tenantId, conversationId }));
  expect(await queued()).toEqual(['two', 'three']);
  expect(await overdue()).toEqual([]);
  await queue(missing!);
  await queue(fourth!);
  expect(await queued()).toEqual(['two', 'three', 'one', 'four']);
});

test("another reply in a reply's place is refused loudly, and not dropped", async () => {
  const { reply, queue, queued } = open();
  await queue(reply('mine'));
  await expect(queue(reply('theirs', { replySeq: 1 }))).rejects.toThrow();
  expect(await queued()).toEqual(['mine']);
});

test('queueing a reply locks nothing that admission needs', async () => {
  const { reply, database } = open();
  const mine = reply('mine');
  await withTenant(database, [mine.tenantId], async (tx) => {
    await queueReplies(deps, tx, [kept(mine)]);
    const admitted = services.harness.asOwner(
      `set lock_timeout = '200ms'; insert into webhooks.conversations as c (tenant_id, conversation_id, last_seq)
       values ('${mine.tenantId}', '${mine.conversationId}', 1)
       on conflict (tenant_id, conversation_id) do update set last_seq = c.last_seq + 1`,
    );
    await admitted;
  });
  expect(await partsIn(services, mine.chat.platformChatId)).toHaveLength(1);
});

test('a reply to a chat in which nothing else waits begins with the transaction that queues it, if there is a slot', async () => {
  const { reply, queue, queued, database } = open();
  const [first, second, third] = ['one', 'two', 'three'].map((text) => reply(text));
  await queue(first!);
  await services.harness.asOwner("update webhooks.parts set state = 'sent' where platform_chat_id = $1", [
    first!.chat.platformChatId,
  ]);
  await services.harness.asOwner('update webhooks.chats set ready_at = null where platform_chat_id = $1', [
    first!.chat.platformChatId,
  ]);
  const jobs: ChatToServe[] = [];
  const slot = { run: (job: ChatToServe) => jobs.push(job), giveBack: () => expect.fail('the slot is used') };
  const journal = { isClosing: false } as SendJournal;
  const withSlots = { ...deps, journal, sending: { reserve: () => slot } };
  for (const one of [second!, third!])
    await withTenant(database, [one.tenantId], (tx) => queueReplies(withSlots, tx, [kept(one)]));
  expect(await queued()).toEqual(['one', 'two', 'three']);
  expect(jobs).toMatchObject([
    { prepared: { send: 1, openSends: 0, part: { payload: { text: 'two' }, sends: 0, attempts: 0 } } },
  ]);
  expect((jobs[0]!.prepared as BegunPart).part.worthMs).toBeCloseTo(3_600_000, -4);
  const [chat] = await services.harness.asOwner(
    `select owner, fence, lease_until > now() as is_leased, ready_at <= now() as is_ready, paced_until > now() as is_paced
     from webhooks.chats where platform_chat_id = $1`,
    [first!.chat.platformChatId],
  );
  const { fence } = jobs[0]!;
  const owner = deps.heartbeat.processId;
  expect(chat).toEqual({ owner, fence: String(fence), is_leased: true, is_ready: true, is_paced: true });
  expect(await partsIn(services, first!.chat.platformChatId)).toMatchObject([
    { state: 'sent' },
    { state: 'sending' },
    { state: 'queued' },
  ]);
});

test('the first reply of a chat begins with the transaction that queues it; one of another topic at the same time is retried', async () => {
  const { reply, database, platformChatId } = open();
  const jobs: ChatToServe[] = [];
  const slot = { run: (job: ChatToServe) => jobs.push(job), giveBack: () => {} };
  const journal = { isClosing: false, unmade: new Map() } as never;
  const withSlots = { ...deps, journal, sending: { reserve: () => slot } };
  const inTopic = (text: string) => ({ ...kept(reply(text)), conversationId: randomUUID(), replySeq: 1 });
  const queueOne = (it: ReturnType<typeof inTopic>) =>
    withTenant(database, [it.tenantId], (tx) => queueReplies(withSlots, tx, [it]));
  const topics = [inTopic('one'), inTopic('two')];
  // Both have seen that the chat is new before either of them writes.
  const started = await withPlatform(database, 'test', async (tx) => {
    const lock = 'lock table webhooks.replies in share row exclusive mode';
    await tx.query({ name: 'test.lock', text: lock, values: [] });
    const queueing = topics.map((it) =>
      queueOne(it).then(
        () => undefined,
        () => it,
      ),
    );
    await eventually('both wait', async () => {
      const waiting = await services.harness.asOwner(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return waiting.length === 2;
    });
    return queueing;
  });
  const failed = (await Promise.all(started)).filter((it) => it !== undefined);
  expect(failed).toHaveLength(1);
  await queueOne(failed[0]!);
  expect(jobs).toHaveLength(1);
  expect(await partsIn(services, platformChatId)).toMatchObject([{ state: 'sending' }, { state: 'queued' }]);
});

test('a transaction that fails gives its slot back, and notes that a send it may have begun was not made', async () => {
  const { reply, queue, database } = open();
  const [first, second] = ['one', 'two'].map((text) => reply(text));
  await queue(first!);
  await services.harness.asOwner('update webhooks.chats set ready_at = null where platform_chat_id = $1', [
    first!.chat.platformChatId,
  ]);
  let givenBack = 0;
  const slot = { run: () => expect.fail('nothing was committed'), giveBack: () => (givenBack += 1) };
  const unmade = new Map<string, number>();
  const journal = { isClosing: false, unmade } as never;
  const withSlots = { ...deps, journal, sending: { reserve: () => slot as never } };
  const failing = withTenant(database, [second!.tenantId], async (tx) => {
    await queueReplies(withSlots, tx, [{ ...kept(second!), replySeq: 2, traceparent: '\0' }]);
  });
  await expect(failing).rejects.toThrow('invalid byte sequence');
  expect(givenBack).toBe(1);
  expect([...unmade.values()]).toEqual([1]);
});

test('half of a surrogate pair keeps no reply from being queued', async () => {
  const { reply, queue, queued } = open();
  await queue(reply('broken \ud83d off'));
  expect(await queued()).toEqual(['broken \ufffd off']);
});

test('a reply to a group that became a supergroup is queued for the supergroup', async () => {
  const { reply, queue, queued } = open();
  const mine = reply('moved');
  await services.harness.asOwner(
    'insert into webhooks.chat_moves (tenant_id, bot_id, from_chat_id, to_chat_id) values ($1, $2, $3, $4)',
    [mine.tenantId, mine.botId, mine.chat.platformChatId, '-1001'],
  );
  await queue(mine);
  expect(await queued()).toEqual([]);
  expect(await partsIn(services, '-1001')).toHaveLength(1);
});
