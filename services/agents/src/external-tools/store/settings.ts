import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { sql } from '@botyard/shared/db/drizzle';
import { rowsOf } from '@botyard/shared/db/rows';
import { platformToolkits, toolSettings } from '../../store/integrations-schema.ts';

export type SettingsRow = typeof toolSettings.$inferSelect;
type PlatformRow = Pick<typeof platformToolkits.$inferSelect, 'toolkits' | 'updatedAt'>;

export const getSettings = (tx: TenantTx, tenantId: string) =>
  rowsOf(toolSettings, 'tenantId').get(tx, { tenantId });

/** Changes the given fields. */
export async function saveSettings(
  tx: TenantTx,
  tenantId: string,
  change: Partial<Omit<SettingsRow, 'tenantId'>>,
): Promise<SettingsRow> {
  const [row] = await tx.db
    .insert(toolSettings)
    .values({ ...change, tenantId })
    .onConflictDoUpdate({ target: toolSettings.tenantId, set: change })
    .returning();
  return row!;
}

export async function getPlatformToolkits(tx: TenantTx | PlatformTx): Promise<PlatformRow | undefined> {
  const [row] = await tx.db.select().from(platformToolkits);
  return row;
}

export async function savePlatformToolkits(tx: PlatformTx, toolkits: string[] | null): Promise<PlatformRow> {
  const [row] = await tx.db
    .insert(platformToolkits)
    .values({ toolkits })
    .onConflictDoUpdate({
      target: platformToolkits.isTheOne,
      set: { toolkits, updatedAt: sql`now()` },
    })
    .returning();
  return row!;
}
