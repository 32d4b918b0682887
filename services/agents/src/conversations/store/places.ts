import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { v7 as uuidv7 } from 'uuid';

/** Reserves the positions of messages that are not stored, so that later messages don't wait for them. */
export async function holdPlaces(tx: TenantTx, messages: readonly InboundMessage[]): Promise<void> {
  const sorted = messages.toSorted((left, right) => (left.conversationId < right.conversationId ? -1 : 1));
  for (const { tenantId, conversationId, botId, integrationId, platform, chat, seq, receivedAt } of sorted) {
    const place = {
      platformChatId: chat.kind === 'private' ? '' : chat.platformChatId,
      kind: chat.kind,
      title: '',
    };
    await tx.query({
      name: 'agents.erasure.hold_conversation',
      text: `insert into agents.conversations as c (tenant_id, conversation_id, chat_id, bot_id, integration_id,
               platform, place, last_seq)
             values ($tenantId, $conversationId, $chatId, $botId, $integrationId, $platform, $place, $seq)
             on conflict (tenant_id, conversation_id) do update set last_seq = greatest(c.last_seq, excluded.last_seq)`,
      values: {
        tenantId,
        conversationId,
        chatId: uuidv7(),
        botId,
        integrationId,
        platform,
        seq,
        place: JSON.stringify(place),
      },
    });
    await tx.query({
      name: 'agents.erasure.hold_place',
      text: `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, status, received_at)
             values ($1, $2, $3, 'in', $4, '', 'unsupported', 'ignored', $5) on conflict do nothing`,
      values: [tenantId, uuidv7(), conversationId, seq, receivedAt],
    });
  }
}

/** Advances conversations past deleted messages, to the first message that still waits. */
export const advancePositions = preparedStatement({
  name: 'agents.erasure.advance',
  text: `update agents.conversations c set next_seq = greatest(c.next_seq, coalesce((select min(m.seq) from agents.messages m
             where m.tenant_id = c.tenant_id and m.conversation_id = c.conversation_id and m.direction = 'in'
               and m.status = 'queued' and m.seq >= c.next_seq), c.last_seq + 1))
         where c.tenant_id = $1 and c.conversation_id = any ($2::uuid[])`,
  values: ({ tenantId, conversationIds }: { tenantId: string; conversationIds: readonly string[] }) => [
    tenantId,
    conversationIds,
  ],
});
