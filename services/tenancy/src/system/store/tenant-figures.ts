import type { PlatformTx } from '@botyard/shared/db/database';
import { allOf, like, moment, number, shape } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { memberships } from '../../store/schema.ts';

const { tenantId, userId } = memberships;
const orZero = (figure: string) => number(`coalesce(${figure}, 0)`);
const figures = columns({
  tenantId: like(tenantId, 't'),
  keptAdmins: allOf(
    shape({ userId, keptSince: moment('kept_since') }),
    'from tenancy.memberships where tenant_id = t and kept_since is not null',
    'kept_since',
  ),
  bots: orZero('bots'),
  botsEnabled: orZero('own.enabled'),
  integrations: orZero('integrations'),
  integrationsEnabled: orZero('connected.enabled'),
  pending: orZero('pending'),
  registered: orZero('registered'),
  failed: orZero('failed'),
});
export type TenantFigures = RowOf<typeof figures>;

/** Each tenant's bots and integrations by state, and the admins who are kept only because there is no other. */
export const countInTenants = preparedStatement({
  name: 'tenancy.dashboard.figures',
  text: typedSql`with own as (
           select tenant_id, count(*)::int as bots, count(*) filter (where is_enabled)::int as enabled
           from tenancy.bots where tenant_id = any ($1::uuid[]) group by 1),
         connected as (
           select tenant_id, count(*)::int as integrations, count(*) filter (where is_enabled)::int as enabled,
             count(*) filter (where registration_state = 'pending')::int as pending,
             count(*) filter (where registration_state = 'registered')::int as registered,
             count(*) filter (where registration_state = 'failed')::int as failed
           from tenancy.integrations where tenant_id = any ($1::uuid[]) group by 1)
         select ${figures}
         from unnest($1::uuid[]) as wanted (t) left join own on own.tenant_id = t left join connected on connected.tenant_id = t`,
  values: (tenantIds: readonly string[]) => [tenantIds],
});

const keptAdmin = columns({
  tenantId,
  userId,
  keptSince: moment('kept_since'),
  count: number('count(*) over ()'),
});
type KeptAdmin = Omit<RowOf<typeof keptAdmin>, 'count'>;

/**
 * Admins of all tenants who have left at the identity provider but are kept, the longest kept first, with their total
 * number.
 */
export async function listKeptAdmins(
  tx: PlatformTx,
  limit: number,
): Promise<{ count: number; admins: KeptAdmin[] }> {
  const rows = await tx.query({
    name: 'tenancy.memberships.kept',
    text: typedSql`select ${keptAdmin}
           from tenancy.memberships where kept_since is not null order by kept_since, tenant_id limit $1`,
    values: [limit],
  });
  return { count: rows[0]?.count ?? 0, admins: rows };
}
