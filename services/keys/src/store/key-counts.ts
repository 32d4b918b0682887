import type { KeyCounts } from '@botyard/contracts/http/dashboard';
import type { TenantTx } from '@botyard/shared/db/database';

/** Keys of each tenant by whether they work. */
export async function countKeysOf(
  tx: TenantTx,
  tenantIds: readonly string[],
): Promise<(KeyCounts & { tenantId: string })[]> {
  return await tx.query<KeyCounts & { tenantId: string } & Record<string, unknown>>({
    name: 'keys.keys.count',
    text: `select tenant_id as "tenantId", count(*) filter (where status = 'active')::int as active,
             count(*) filter (where status = 'invalid')::int as invalid,
             count(*) filter (where status = 'active' and cool_until > now())::int as resting
           from keys.keys where tenant_id = any ($1::uuid[]) group by 1`,
    values: [tenantIds],
  });
}
