import type { PlatformTx } from '@botyard/shared/db/database';
import { count } from '@botyard/shared/db/expressions';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';

const depthText = typedSql`select ${columns({ waiting: count() })} from
  (select from agents.conversations where ready_at is not null limit 10000) c`;

/** Conversations that wait for an answer or for their time; 10,000 stands for more. */
export async function countReadyConversations(tx: PlatformTx): Promise<number> {
  const [row] = await tx.query({ name: 'agents.conversations.depth', text: depthText, values: [] });
  return row?.waiting ?? 0;
}
