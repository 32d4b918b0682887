import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, inArray, ne, sql } from '@botyard/shared/db/drizzle';
import { lockNamed } from '@botyard/shared/db/lock-named';
import { rowsOf } from '@botyard/shared/db/rows';
import { cannedReplies, labels } from '../../store/chat-schema.ts';

export type LabelRow = typeof labels.$inferSelect;
export type CannedReplyRow = typeof cannedReplies.$inferSelect;

const storedLabels = rowsOf(labels, 'tenantId', 'labelId');
export const { get: getLabel, update: updateLabel, remove: deleteLabel, count: countLabels } = storedLabels;

const storedReplies = rowsOf(cannedReplies, 'tenantId', 'cannedReplyId');
export const {
  get: getCannedReply,
  update: updateCannedReply,
  remove: deleteCannedReply,
  count: countCannedReplies,
} = storedReplies;

/** Changes of a tenant's labels and canned replies wait for each other, so that names and numbers stay correct. */
export const lockNames = (tx: TenantTx, tenantId: string): Promise<void> =>
  lockNamed(tx, `labels of ${tenantId}`);

export const insertLabel = async (tx: TenantTx, row: Omit<LabelRow, 'createdAt'>): Promise<LabelRow> =>
  (await tx.db.insert(labels).values(row).returning())[0]!;

export const insertCannedReply = async (
  tx: TenantTx,
  row: Omit<CannedReplyRow, 'createdAt' | 'updatedAt'>,
): Promise<CannedReplyRow> => (await tx.db.insert(cannedReplies).values(row).returning())[0]!;

/** Newest first, one more than the page's limit. */
export const listLabels = (tx: TenantTx, tenantId: string, page: PageRequest) =>
  storedLabels.list(tx, { tenantId }, page);

export const listCannedReplies = (tx: TenantTx, tenantId: string, page: PageRequest) =>
  storedReplies.list(tx, { tenantId }, page);

/** The labels with these names, case-insensitive. */
export const findLabels = (tx: TenantTx, tenantId: string, names: readonly string[]): Promise<LabelRow[]> =>
  tx.db
    .select()
    .from(labels)
    .where(
      and(
        eq(labels.tenantId, tenantId),
        inArray(
          sql`lower(${labels.name})`,
          names.map((name) => sql`lower(${name})`),
        ),
      ),
    );

/** Whether another label has this name. */
export const hasLabelNamed = async (
  tx: TenantTx,
  { tenantId, labelId, name }: Pick<LabelRow, 'tenantId' | 'labelId' | 'name'>,
): Promise<boolean> =>
  (await storedLabels.first(tx, { tenantId }, ne(labels.labelId, labelId), isNamed(labels, name))) !==
  undefined;

/** Whether another canned reply has this name. */
export async function hasCannedReplyNamed(
  tx: TenantTx,
  { tenantId, cannedReplyId, name }: Pick<CannedReplyRow, 'tenantId' | 'cannedReplyId' | 'name'>,
): Promise<boolean> {
  const isOther = ne(cannedReplies.cannedReplyId, cannedReplyId);
  return (await storedReplies.first(tx, { tenantId }, isOther, isNamed(cannedReplies, name))) !== undefined;
}

const isNamed = (table: typeof labels | typeof cannedReplies, name: string) =>
  sql`lower(${table.name}) = lower(${name})`;
