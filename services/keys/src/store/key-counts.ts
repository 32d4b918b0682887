import type { KeyCounts } from '@botyard/contracts/http/dashboard';
import type { TenantTx } from '@botyard/shared/db/database';
import { number } from '@botyard/shared/db/expressions';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { keys } from './schema.ts';

const countsOfTenant = columns({
  tenantId: keys.tenantId,
  active: number(`count(*) filter (where status = 'active')`),
  invalid: number(`count(*) filter (where status = 'invalid')`),
  resting: number(`count(*) filter (where status = 'active' and cool_until > now())`),
});

/** Keys of each tenant by whether they work. */
export async function countKeysOf(
  tx: TenantTx,
  tenantIds: readonly string[],
): Promise<(KeyCounts & { tenantId: string })[]> {
  return await tx.query({
    name: 'keys.keys.count',
    text: typedSql`select ${countsOfTenant}
           from keys.keys where tenant_id = any ($1::uuid[]) group by 1`,
    values: [tenantIds],
  });
}
