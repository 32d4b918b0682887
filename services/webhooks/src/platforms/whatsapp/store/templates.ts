import type { TenantTx } from '@botyard/shared/db/database';
import { and, asc, eq } from '@botyard/shared/db/drizzle';
import { whatsappTemplates } from '../../../store/whatsapp-schema.ts';
import type { OfNumber } from './people.ts';

export type TemplateRow = typeof whatsappTemplates.$inferSelect;

const matches = ({ tenantId, integrationId }: OfNumber) =>
  and(eq(whatsappTemplates.tenantId, tenantId), eq(whatsappTemplates.integrationId, integrationId));

/** Replaces all templates of a number with those that the platform has now. */
export async function replaceTemplates(
  tx: TenantTx,
  number: OfNumber,
  templates: readonly Omit<TemplateRow, 'tenantId' | 'integrationId' | 'syncedAt'>[],
): Promise<void> {
  await deleteTemplates(tx, number);
  const { tenantId, integrationId } = number;
  const rows = templates.map((template) => ({ tenantId, integrationId, ...template }));
  if (rows.length > 0) await tx.db.insert(whatsappTemplates).values(rows).onConflictDoNothing();
}

export async function deleteTemplates(tx: TenantTx, number: OfNumber): Promise<void> {
  await tx.db.delete(whatsappTemplates).where(matches(number));
}

export const listTemplates = (tx: TenantTx, number: OfNumber): Promise<TemplateRow[]> =>
  tx.db
    .select()
    .from(whatsappTemplates)
    .where(matches(number))
    .orderBy(asc(whatsappTemplates.name), asc(whatsappTemplates.language));
