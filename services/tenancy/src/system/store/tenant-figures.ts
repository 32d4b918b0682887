import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';

export interface TenantFigures {
  tenantId: string;
  bots: number;
  botsEnabled: number;
  integrations: number;
  integrationsEnabled: number;
  pending: number;
  registered: number;
  failed: number;
  keptAdmins: { userId: string; keptSince: string }[];
}

/** Bots and integrations of each tenant, by how they are, and who is its admin only because nobody else is. */
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
           select t as "tenantId", coalesce((
               select json_agg(json_build_object('userId', user_id, 'keptSince', kept_since) order by kept_since)
               from tenancy.memberships where tenant_id = t and kept_since is not null), '[]') as "keptAdmins", coalesce(bots, 0) as bots, coalesce(own.enabled, 0) as "botsEnabled",
             coalesce(integrations, 0) as integrations, coalesce(connected.enabled, 0) as "integrationsEnabled",
             coalesce(pending, 0) as pending, coalesce(registered, 0) as registered, coalesce(failed, 0) as failed
           from unnest($1::uuid[]) as wanted (t) left join own on own.tenant_id = t left join connected on connected.tenant_id = t`,
    values: [tenantIds],
  });
}

export interface KeptAdmin {
  tenantId: string;
  userId: string;
  keptSince: Date;
}

/** Admins of all tenants who have left at the identity provider and are kept, the longest first, with how many there are. */
export async function listKeptAdmins(
  tx: PlatformTx,
  limit: number,
): Promise<{ count: number; admins: KeptAdmin[] }> {
  const rows = await tx.query<KeptAdmin & { count: number } & Record<string, unknown>>({
    name: 'tenancy.memberships.kept',
    text: `select tenant_id as "tenantId", user_id as "userId", kept_since as "keptSince",
             (count(*) over ())::int as count
           from tenancy.memberships where kept_since is not null order by kept_since, tenant_id limit $1`,
    values: [limit],
  });
  return { count: rows[0]?.count ?? 0, admins: rows };
}
