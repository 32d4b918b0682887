import { maxChangesOfChat } from '@botyard/contracts/http/interactions-changes';
import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { alias, and, desc, eq, getTableColumns, lt } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { chatChanges, staff } from '../../store/chat-schema.ts';
import type { ConversationKey } from '../../store/conversation-of.ts';

type StoredChange = typeof chatChanges.$inferSelect;

interface NewChange {
  kind: StoredChange['kind'];
  /** The user who did it; omitted if it happened by itself. */
  staffId?: string;
  assigneeStaffId?: string | null;
  snoozedUntil?: string | null | undefined;
}

/** A change with its people, who are `null` once they were erased. */
export type ChangeRow = StoredChange & { actorUserId: string | null; assigneeUserId: string | null };

/** Writes a change of a locked conversation. Only the newest ones of a chat are kept. */
export const insertChange = preparedStatement({
  name: 'agents.changes.insert',
  text: `with surplus as (
           delete from agents.chat_changes
           where tenant_id = $tenantId and conversation_id = $conversationId and change_id <= (
             select change_id from agents.chat_changes
             where tenant_id = $tenantId and conversation_id = $conversationId
             order by change_id desc offset ${maxChangesOfChat - 1} limit 1
           )
         )
         insert into agents.chat_changes (tenant_id, conversation_id, kind, staff_id, assignee_staff_id, snoozed_until)
         values ($tenantId, $conversationId, $kind, $staffId, $assigneeStaffId, $snoozedUntil)`,
  values: (
    { tenantId, conversationId }: ConversationKey,
    { kind, staffId, assigneeStaffId, snoozedUntil }: NewChange,
  ) => ({
    tenantId,
    conversationId,
    kind,
    staffId: staffId ?? null,
    assigneeStaffId: assigneeStaffId ?? null,
    snoozedUntil: snoozedUntil ?? null,
  }),
});

const actor = alias(staff, 'actor');
const assignee = alias(staff, 'assignee');

/** Newest first, one more than the page's limit. */
export const listChanges = (
  tx: TenantTx,
  { tenantId, conversationId }: ConversationKey,
  { limit, before }: PageRequest,
): Promise<ChangeRow[]> =>
  tx.db
    .select({
      ...getTableColumns(chatChanges),
      actorUserId: actor.userId,
      assigneeUserId: assignee.userId,
    })
    .from(chatChanges)
    .leftJoin(actor, and(eq(actor.tenantId, chatChanges.tenantId), eq(actor.staffId, chatChanges.staffId)))
    .leftJoin(
      assignee,
      and(eq(assignee.tenantId, chatChanges.tenantId), eq(assignee.staffId, chatChanges.assigneeStaffId)),
    )
    .where(
      and(
        eq(chatChanges.tenantId, tenantId),
        eq(chatChanges.conversationId, conversationId),
        before ? lt(chatChanges.changeId, before) : undefined,
      ),
    )
    .orderBy(desc(chatChanges.changeId))
    .limit(limit + 1);
