import { randomInt, randomUUID } from 'node:crypto';
import { replyCreated } from '@botyard/contracts/events/agents';
import type { DataOf } from '@botyard/contracts/events/definition';
import { replyDelivered } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import type { CallFilter } from '@botyard/testing/fake/fake-server';
import { eventsOf, type Integration, type WebhooksServices } from './webhooks-services.ts';

export type Reply = DataOf<typeof replyCreated>;

/** The next replies of a conversation in a chat of its own. */
export function conversationOf(
  { tenantId, botId, integrationId }: Integration,
  platformChatId = String(randomInt(1_000_000, 2 ** 40)),
) {
  const conversationId = randomUUID();
  let last = 0;
  return {
    platformChatId,
    conversationId,
    reply: (text: string, change: Partial<Reply> = {}): Reply => {
      last += 1;
      const kind = platformChatId.startsWith('-') ? ('group' as const) : ('private' as const);
      return {
        tenantId,
        botId,
        integrationId,
        conversationId,
        replyId: randomUUID(),
        replySeq: last,
        chat: { platformChatId, kind, title: 'Anna' },
        text,
        ...change,
      };
    },
  };
}

/** Publishes replies in this order, as the agents service does it. */
export async function publishReplies({ harness }: WebhooksServices, ...replies: Reply[]): Promise<void> {
  for (const reply of replies) await harness.publish(replyCreated, reply);
}

/** The announcement of a reply, once it was published. Fails if it was published twice. */
export async function delivered({ harness }: WebhooksServices, { replyId }: Reply) {
  return await eventually('the reply is delivered or given up', async () => {
    const events = (await eventsOf(harness, replyDelivered)).filter((event) => event.replyId === replyId);
    if (events.length > 1) throw new Error('a reply was announced twice');
    return events[0];
  });
}

/** Texts that arrived in a chat, in their order. */
export const textsIn = ({ messenger }: WebhooksServices, platformChatId: string): string[] =>
  messenger.sent.filter(({ chatId }) => chatId === platformChatId).map(({ entry }) => entry.text);

/** Calls of sendMessage for a chat, with any outcome. */
export const callsFor = ({ messenger }: WebhooksServices, platformChatId: string) =>
  messenger.calls.filter(
    ({ operation, params }) => operation === 'sendMessage' && String(params.chat_id) === platformChatId,
  );

/** For faults of the messenger: calls about a chat. */
export const callsInChat =
  (platformChatId: string): CallFilter =>
  ({ params }) =>
    String(params.chat_id) === platformChatId;

export interface PartRow {
  part_id: string;
  state: string;
  attempts: number;
  is_uncertain: boolean;
  platform_message_id: string | null;
  last_error: string | null;
}

export const partsIn = ({ harness }: WebhooksServices, platformChatId: string): Promise<PartRow[]> =>
  harness.asOwner<PartRow & Record<string, unknown>>(
    'select * from webhooks.parts where platform_chat_id = $1 order by position',
    [platformChatId],
  );

/** Holds a chat in the name of a worker that will never come back. */
export const holdChat = (
  { harness }: WebhooksServices,
  { tenantId, botId, integrationId }: Integration,
  platformChatId: string,
) =>
  harness.asOwner(
    `insert into webhooks.chats (tenant_id, bot_id, platform_chat_id, integration_id, ready_at, lease_until, owner, fence)
     values ($1, $2, $3, $4, now(), now() + interval '1 hour', gen_random_uuid(), 7)
     on conflict (tenant_id, bot_id, platform_chat_id) do update
     set ready_at = now(), lease_until = excluded.lease_until, owner = excluded.owner,
       fence = chats.fence + 1`,
    [tenantId, botId, platformChatId, integrationId],
  );

/** The dead worker's lease has run out. It is taken over by a process that has seen the database for 15 s. */
export const expireLease = ({ harness }: WebhooksServices, platformChatId: string) =>
  harness.asOwner(
    "update webhooks.chats set lease_until = now() - interval '1 second' where platform_chat_id = $1",
    [platformChatId],
  );
