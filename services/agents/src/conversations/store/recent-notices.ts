import type { TenantTx } from '@botyard/shared/db/database';

/** Whether the chat got a notice of this cause within the last hour. */
export async function hasRecentNotice(
  tx: TenantTx,
  chat: { tenantId: string; conversationId: string },
  cause: string,
): Promise<boolean> {
  const rows = await tx.query({
    name: 'agents.turns.recent_notice',
    text: `select from agents.turns where tenant_id = $1 and conversation_id = $2 and failure = $3
             and created_at > now() - interval '1 hour' limit 1`,
    values: [chat.tenantId, chat.conversationId, cause],
  });
  return rows.length > 0;
}
