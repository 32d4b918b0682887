import type { TenantTx } from '@botyard/shared/db/database';
import { eq } from '@botyard/shared/db/drizzle';
import { documentLimits } from '../../store/context-schema.ts';

/** An operator's limit; `null`: the setting applies. */
export async function getDocumentLimit(tx: TenantTx, tenantId: string): Promise<number | null> {
  const [row] = await tx.db.select().from(documentLimits).where(eq(documentLimits.tenantId, tenantId));
  return row?.bytes ?? null;
}

export async function saveDocumentLimit(tx: TenantTx, tenantId: string, bytes: number | null): Promise<void> {
  if (bytes === null) await tx.db.delete(documentLimits).where(eq(documentLimits.tenantId, tenantId));
  else
    await tx.db
      .insert(documentLimits)
      .values({ tenantId, bytes })
      .onConflictDoUpdate({ target: documentLimits.tenantId, set: { bytes } });
}
