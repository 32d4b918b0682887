import type pg from 'pg';

/** Kinds of items that people can delete, and whose deletion leaves no record. */
const kinds = [
  { what: 'tenant', table: 'tenancy.tenants', id: 'tenant_id' },
  { what: 'member', table: 'tenancy.memberships', id: 'user_id' },
  { what: 'relationship', table: 'tenancy.edges', id: 'edge_id' },
  { what: 'bot', table: 'tenancy.bots', id: 'bot_id' },
  { what: 'integration', table: 'tenancy.integrations', id: 'integration_id' },
  { what: 'document', table: 'agents.context_sources', id: 'source_id' },
  { what: 'provider key', table: 'keys.keys', id: 'key_id' },
] as const;
const before = (table: string) => `before_${table.replace('.', '_')}`;

/**
 * Records the existing items. The returned function reports a line for each item that exists only afterwards and so had
 * been deleted. A restored tenant is reported without its contents. Both run in one transaction. A database without
 * tenants produces no lines.
 */
export async function rememberWhatIsThere(client: pg.Client): Promise<() => Promise<string[]>> {
  for (const { table, id } of kinds)
    await client.query(
      `create temp table ${before(table)} on commit drop as select tenant_id, ${id}::text as id from ${table}`,
    );
  const { rowCount } = await client.query('select from tenancy.tenants where not is_platform limit 1');
  if (!rowCount) return async () => [];
  return async () => {
    const selects = kinds.map(
      ({ what, table, id }) =>
        `select '${what}' as what, tenant_id, ${id}::text as id from ${table} now where not exists
           (select from ${before(table)} old where (old.tenant_id, old.id) = (now.tenant_id, now.${id}::text))
         and ('${what}' = 'tenant' or tenant_id in (select tenant_id from ${before('tenancy.tenants')}))`,
    );
    const { rows } = await client.query<{ what: string; tenant_id: string; id: string }>(
      selects.join(' union all '),
    );
    return rows.map(({ what, tenant_id, id }) =>
      what === 'tenant' ? `${what} ${id}` : `${what} ${id} of tenant ${tenant_id}`,
    );
  };
}
