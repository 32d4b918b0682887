import type { TenantTx } from '@botyard/shared/db/database';

export interface TenantFigures {
  tenantId: string;
  bots: number;
  botsEnabled: number;
  integrations: number;
  integrationsEnabled: number;
  pending: number;
  registered: number;
  failed: number;
}

/** Bots and integrations of each tenant, by how they are. */
export async function countInTenants(tx: TenantTx, tenantIds: readonly string[]): Promise<TenantFigures[]> {
  return await tx.query<TenantFigures & Record<string, unknown>>({
    name: 'tenancy.dashboard.figures',
    text: `with own as (
             select tenant_id, count(*)::int as bots, count(*) filter (where is_enabled)::int as enabled
             from tenancy.bots where tenant_id = any ($1::uuid[]) group by 1),
           connected as (
             select tenant_id, count(*)::int as integrations, count(*) filter (where is_enabled)::int as enabled,
               count(*) filter (where registration_state = 'pending')::int as pending,
               count(*) filter (where registration_state = 'registered')::int as registered,
               count(*) filter (where registration_state = 'failed')::int as failed
             from tenancy.integrations where tenant_id = any ($1::uuid[]) group by 1)
           select t as "tenantId", coalesce(bots, 0) as bots, coalesce(own.enabled, 0) as "botsEnabled",
             coalesce(integrations, 0) as integrations, coalesce(connected.enabled, 0) as "integrationsEnabled",
             coalesce(pending, 0) as pending, coalesce(registered, 0) as registered, coalesce(failed, 0) as failed
           from unnest($1::uuid[]) as wanted (t) left join own on own.tenant_id = t left join connected on connected.tenant_id = t`,
    values: [tenantIds],
  });
}
