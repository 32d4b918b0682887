import { type Database, runForTenants } from '@botyard/shared/db/database';

export interface CurrentPolicies {
  /** `null`: the tenant has no enabled policy. */
  revision: string | null;
  /** `null` when the revision is the known one. */
  policies: { policyId: string; name: string; text: string }[] | null;
  /** `null` when none was asked for. */
  bot: { botId: string; name: string | null; isEnabled: boolean | null } | null;
}

/**
 * The tenant's policies, unless they are known by their revision, and the bot that is asked about: in one statement, so
 * that a decision is never made by a set that was changed before. The revision is made of the rows' writers (`xmin`), so
 * no two states have the same one, whoever wrote them and however close together.
 */
export async function readPolicies(
  database: Database,
  { tenantId, botId }: { tenantId: string; botId: string | null },
  knownRevision: string | undefined,
): Promise<CurrentPolicies> {
  const [row] = await runForTenants<CurrentPolicies & Record<string, unknown>>(database, [tenantId], {
    name: 'tenancy.policies.current',
    text: `select state.revision,
             case when state.revision is distinct from $3 then
               (select json_agg(json_build_object('policyId', policy_id, 'name', name, 'text', text))
                  from tenancy.policies where tenant_id = $1 and is_enabled) end as policies,
             case when $2::uuid is not null then
               (select json_build_object('botId', $2::uuid, 'name', max(name), 'isEnabled', bool_or(is_enabled))
                  from tenancy.bots where tenant_id = $1 and bot_id = $2) end as bot
           from (select md5(string_agg(policy_id::text || ':' || xmin::text, ',' order by policy_id)) as revision
                   from tenancy.policies where tenant_id = $1 and is_enabled) state`,
    values: [tenantId, botId, knownRevision ?? null],
  });
  return row!;
}
