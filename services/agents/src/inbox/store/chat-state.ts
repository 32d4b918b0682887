import type { ChatState } from '@botyard/contracts/http/interactions-inbox';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import type { z } from 'zod';
import type { ConversationKey } from '../../store/conversation-of.ts';
import { conversations } from '../../store/schema.ts';

interface StateChange {
  state: z.output<typeof ChatState> | null;
  snoozedUntil: string | null;
  /** `null` leaves them as they are. */
  labelIds: readonly string[] | null;
}

/** Changes a locked conversation. */
export async function saveState(
  tx: TenantTx,
  { tenantId, conversationId }: ConversationKey,
  { state, snoozedUntil, labelIds }: StateChange,
): Promise<void> {
  await tx.query({
    name: 'agents.inbox.save_state',
    text: `update agents.conversations c
           set state = coalesce($3, c.state),
             snoozed_until = case when $3 is null then c.snoozed_until else $4::timestamptz end,
             label_ids = coalesce($5::uuid[], c.label_ids)
           where tenant_id = $1 and conversation_id = $2`,
    values: [tenantId, conversationId, state, snoozedUntil, labelIds],
  });
}

/** Saves that the user has read the chat, or that it is unread for them. */
export const saveRead = preparedStatement({
  name: 'agents.inbox.save_read',
  text: `insert into agents.chat_reads as r (tenant_id, conversation_id, staff_id, read_until)
         values ($1, $2, $3, case when $4 then '-infinity' else now() end)
         on conflict (tenant_id, conversation_id, staff_id) do update set read_until = excluded.read_until`,
  values: (
    { tenantId, conversationId }: ConversationKey,
    { staffId, isUnread }: { staffId: string; isUnread: boolean },
  ) => [tenantId, conversationId, staffId, isUnread],
});

const maxAtOnce = 200;
const c = alias(conversations, 'c');

/** Opens up to `maxAtOnce` conversations whose snooze has ended. Locked ones are left for later. */
export async function endSnoozes(tx: PlatformTx): Promise<ConversationKey[]> {
  return await tx.query({
    name: 'agents.inbox.end_snoozes',
    text: typedSql`with due as (
             select tenant_id, conversation_id from agents.conversations
             where state = 'snoozed' and snoozed_until <= now()
             order by snoozed_until limit ${maxAtOnce} for no key update skip locked
           ), recorded as (
             insert into agents.chat_changes (tenant_id, conversation_id, kind)
             select tenant_id, conversation_id, 'snooze_ended' from due
           )
           update agents.conversations c set state = 'open', snoozed_until = null from due
           where c.tenant_id = due.tenant_id and c.conversation_id = due.conversation_id
           returning ${columns({ tenantId: c.tenantId, conversationId: c.conversationId })}`,
    values: [],
  });
}
