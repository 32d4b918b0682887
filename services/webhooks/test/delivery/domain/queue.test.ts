import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { createLog } from '@botyard/shared/log/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { passOverMissing, queueReplies } from '../../../src/delivery/domain/queue.ts';
import { listOverdueConversations } from '../../../src/delivery/store/replies.ts';
import { type AdapterDeps, createPlatforms } from '../../../src/platforms/registry.ts';
import { TextWorker } from '../../../src/text-threads/domain/text-worker.ts';
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
  platforms: createPlatforms({ texts } as unknown as AdapterDeps),
};
afterAll(() => texts.stop());

const kept = ({ chat: place, ...reply }: Reply) => ({
  ...reply,
  place,
  platform: 'messenger' as const,
  askedAt: null,
  answerUntil: null,
  stopsEarlier: false,
  isByStaff: false,
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
