import type { PageRequest } from '@botyard/contracts/http/page';
import type { PlatformName } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, ilike, inArray, isNotNull, lt, ne, or, sql } from '@botyard/shared/db/drizzle';
import { rowsOf } from '@botyard/shared/db/rows';
import { containing } from '@botyard/shared/db/sorting';
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

/** Without their content. Newest first, one more than the page's limit. */
export const listCases = (
  tx: TenantTx,
  { tenantId, setId }: SetKey,
  { limit, before, q }: PageRequest & { q?: string | undefined },
) =>
  tx.db
    .select({
      caseId: evaluationCases.caseId,
      setId: evaluationCases.setId,
      name: evaluationCases.name,
      messages: sql<number>`jsonb_array_length(${evaluationCases.messages})`,
      assertions: sql<number>`jsonb_array_length(${evaluationCases.assertions})`,
      createdAt: evaluationCases.createdAt,
      updatedAt: evaluationCases.updatedAt,
    })
    .from(evaluationCases)
    .where(
      and(
        eq(evaluationCases.tenantId, tenantId),
        eq(evaluationCases.setId, setId),
        q ? ilike(evaluationCases.name, containing(q)) : undefined,
        before ? lt(evaluationCases.caseId, before) : undefined,
      ),
    )
    .orderBy(desc(evaluationCases.caseId))
    .limit(limit + 1);

/** The bytes of all cases of a set. */
export async function sumBytes(tx: TenantTx, { tenantId, setId }: SetKey): Promise<number> {
  const [row] = await tx.db
    .select({ bytes: sql<number>`coalesce(sum(${evaluationCases.bytes}), 0)::float8` })
    .from(evaluationCases)
    .where(and(eq(evaluationCases.tenantId, tenantId), eq(evaluationCases.setId, setId)));
  return row?.bytes ?? 0;
}

/** Messages of the tenant that have a text. None can be erased before the transaction ends. */
export const holdMessages = (tx: TenantTx, tenantId: string, messageIds: readonly string[]) =>
  tx.db
    .select({
      messageId: messages.messageId,
      conversationId: messages.conversationId,
      sender: messages.sender,
      receivedAt: messages.receivedAt,
    })
    .from(messages)
    .where(
      and(
        eq(messages.tenantId, tenantId),
        inArray(messages.messageId, [...messageIds]),
        // An erasure empties the messages of a person in groups, and the answers to them.
        or(ne(messages.text, ''), isNotNull(messages.sender), isNotNull(messages.staffId)),
      ),
    )
    .orderBy(messages.messageId)
    .for('share');

/** The platforms of the tenant's conversations. */
export async function platformsOf(
  tx: TenantTx,
  tenantId: string,
  conversationIds: readonly string[],
): Promise<Map<string, PlatformName>> {
  const { conversationId, platform } = conversations;
  const rows = await tx.db
    .select({ conversationId, platform })
    .from(conversations)
    .where(and(eq(conversations.tenantId, tenantId), inArray(conversationId, [...conversationIds])));
  return new Map(rows.map((row) => [row.conversationId, row.platform]));
}

/** Whether the case exists. It can't be deleted before the transaction ends. */
export const holdCase = async (tx: TenantTx, key: CaseKey): Promise<boolean> =>
  (await stored.lock(tx, key, 'key share')) !== undefined;
