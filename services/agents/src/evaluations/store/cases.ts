import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, inArray } from '@botyard/shared/db/drizzle';
import { rowsOf } from '@botyard/shared/db/rows';
import { conversationOf } from '../../store/conversation-of.ts';
import { evaluationCases } from '../../store/evaluations-schema.ts';
import { conversations, messages } from '../../store/schema.ts';
import type { SetKey } from './sets.ts';

export type CaseRow = typeof evaluationCases.$inferSelect;
type CaseKey = Pick<CaseRow, 'tenantId' | 'caseId'>;

const stored = rowsOf(evaluationCases, 'tenantId', 'caseId');
export const countCases = (tx: TenantTx, tenantId: string): Promise<number> => stored.count(tx, { tenantId });

export async function getCase(tx: TenantTx, key: SetKey & CaseKey): Promise<CaseRow | undefined> {
  const row = await stored.get(tx, key);
  return row?.setId === key.setId ? row : undefined;
}

export const updateCase = stored.update;

/** Returns whether the set had it. */
export const deleteCase = async (tx: TenantTx, key: SetKey & CaseKey): Promise<boolean> =>
  (await getCase(tx, key)) !== undefined && (await stored.remove(tx, key));

export const insertCases = (
  tx: TenantTx,
  rows: readonly Omit<CaseRow, 'createdAt' | 'updatedAt'>[],
): Promise<CaseRow[]> =>
  tx.db
    .insert(evaluationCases)
    .values([...rows])
    .returning();

/** Newest first, one more than the page's limit. */
export const listCases = (tx: TenantTx, { tenantId, setId }: SetKey, page: PageRequest) =>
  stored.list(tx, { tenantId, setId }, page);

/** Messages of the tenant's chats, with their authors. */
export const listSources = (tx: TenantTx, tenantId: string, messageIds: readonly string[]) =>
  tx.db
    .select({
      messageId: messages.messageId,
      conversationId: messages.conversationId,
      platform: conversations.platform,
      sender: messages.sender,
      receivedAt: messages.receivedAt,
    })
    .from(messages)
    .innerJoin(conversations, conversationOf(messages))
    .where(and(eq(messages.tenantId, tenantId), inArray(messages.messageId, [...messageIds])));
