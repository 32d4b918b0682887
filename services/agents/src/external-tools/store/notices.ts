import type { TenantTx } from '@botyard/shared/db/database';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { messages } from '../../store/schema.ts';

/** Positions of notices: far below whatever people said, or was brought here from another conversation. */
const firstNotice = -4_000_000_000_000_000;
/** All of them are below it, and nothing else is. */
export const lastNotice = -1_000_000_000_000;

/** Whether a message isn't from a person, but reports the result of a waiting call. */
export const isNotice = ({ seq }: { seq: number }): boolean => seq < lastNotice;

export interface Notice {
  tenantId: string;
  conversationId: string;
  /** For those who read the chat, and for the model later on. */
  text: string;
  /** For whom it goes on: they are held to the tenant's rules as with a message of theirs. */
  sender: { platformUserId: string; name: string } | null;
}

/**
 * Holds a conversation: `false` when it is gone. Comes before everything else that is locked for a notice, as it does
 * when a turn ends, so that the two never wait for each other for good.
 */
export async function lockConversation(
  tx: TenantTx,
  { tenantId, conversationId }: Pick<Notice, 'tenantId' | 'conversationId'>,
): Promise<boolean> {
  return await tx.has({
    name: 'agents.notices.lock',
    text: 'select from agents.conversations where tenant_id = $1 and conversation_id = $2 for no key update',
    values: [tenantId, conversationId],
  });
}

/**
 * Puts a notice in front of all that waits in a conversation, which has to be locked: it is answered next, after the
 * turn that runs, and in the order of the notices. Like a message that is replayed its place was passed long ago, so
 * nothing waits for it and nothing is passed over.
 */
export async function insertNotice(tx: TenantTx, notice: Notice): Promise<string> {
  const { tenantId, conversationId, text, sender } = notice;
  const [row] = await tx.query({
    name: 'agents.notices.insert',
    text: typedSql`with touched as (
             update agents.conversations c set waiting_since = coalesce(c.waiting_since, now()),
               ready_at = greatest(case when c.failures > 0 then c.ready_at end, now())
             where tenant_id = $1 and conversation_id = $2 returning c.next_seq)
           insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, sender,
             status, received_at, after_seq)
           select $1, agents.new_id(), $2, 'in', coalesce(max(seq), ${firstNotice}) + 1, $3, 'text', nullif($4, 'null')::jsonb,
             'queued', now(), (select next_seq - 1 from touched)
           from agents.messages where conversation_id = $2 and direction = 'in' and seq < ${lastNotice}
           returning ${columns({ messageId: messages.messageId })}`,
    values: [tenantId, conversationId, text, JSON.stringify(sender)],
  });
  return row!.messageId;
}
