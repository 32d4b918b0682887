import type { PlatformTx } from '@botyard/shared/db/database';

/** Conversations that wait for an answer or for their time; 10,000 stands for more. */
export async function countReadyConversations(tx: PlatformTx): Promise<number> {
  const [row] = await tx.query<{ waiting: number }>({
    name: 'agents.conversations.depth',
    text: `select count(*)::int as waiting from
             (select from agents.conversations where ready_at is not null limit 10000) c`,
    values: [],
  });
  return row?.waiting ?? 0;
}
