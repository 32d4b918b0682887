import type { TenantTx } from '@botyard/shared/db/database';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import type { BotRow } from '../../bots/store/bots.ts';
import { bots, tenants } from '../../store/schema.ts';
import type { TenantRow } from '../../store/tenants.ts';

const maxBots = 500;

const tenantText = typedSql`select ${columns(tenants)} from tenancy.tenants where tenant_id = $1`;
const botsText = typedSql`select ${columns(bots)} from tenancy.bots where tenant_id = $1 order by bot_id desc limit ${maxBots}`;

/**
 * A tenant with its bots, newest first, at most 500. `undefined` when there is none. It is the most frequent read here,
 * so both statements are prepared texts: building them each time costs the service more than the rest of the request,
 * and planning them half of Postgres' work.
 */
export async function getTenantWithBots(
  tx: TenantTx,
  tenantId: string,
): Promise<{ tenant: TenantRow; bots: BotRow[] } | undefined> {
  const [[tenant], botRows] = await Promise.all([
    tx.query({ name: 'tenancy.tenant', text: tenantText, values: [tenantId] }),
    tx.query({ name: 'tenancy.bots_of_tenant', text: botsText, values: [tenantId] }),
  ]);
  return tenant && { tenant, bots: botRows };
}
