import { type Database, withTenant } from '@botyard/shared/db/database';
import { boolean, like, listOf, one, orNull, shape, text } from '@botyard/shared/db/expressions';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { policies } from '../../store/authorization-schema.ts';
import { bots } from '../../store/schema.ts';

const policy = shape({ policyId: policies.policyId, name: policies.name, text: policies.text });
const bot = shape({
  botId: like(bots.botId, '$2::uuid'),
  name: orNull(like(bots.name, 'max(name)')),
  isEnabled: orNull(boolean('bool_or(is_enabled)')),
});
const current = columns({
  /** `null` if the tenant has no enabled policy. */
  revision: orNull(text('state.revision')),
  /** `null` if the revision is the known one. */
  policies: orNull(
    listOf(
      policy,
      `case when state.revision is distinct from $3 then
         (select json_agg(${policy}) from tenancy.policies where tenant_id = $1 and is_enabled) end`,
    ),
  ),
  /** `null` if none was requested. */
  bot: orNull(
    one(
      bot,
      `case when $2::uuid is not null then
         (select ${bot} from tenancy.bots where tenant_id = $1 and bot_id = $2) end`,
    ),
  ),
});
export type CurrentPolicies = RowOf<typeof current>;

const currentText = typedSql`
  select ${current}
  from (select md5(string_agg(policy_id::text || ':' || xmin::text, ',' order by policy_id)) as revision
          from tenancy.policies where tenant_id = $1 and is_enabled) state`;

/**
 * The tenant's policies, unless their revision is already known, and the requested bot. One statement, so that a
 * decision never uses an outdated set. The revision is derived from the rows' writers (`xmin`), so that no two states
 * share one, even in quick succession.
 */
export async function readPolicies(
  database: Database,
  { tenantId, botId }: { tenantId: string; botId: string | null },
  knownRevision: string | undefined,
): Promise<CurrentPolicies> {
  const [row] = await withTenant(
    database,
    [tenantId],
    (tx) =>
      tx.query({
        name: 'tenancy.policies.current',
        text: currentText,
        values: [tenantId, botId, knownRevision ?? null],
      }),
    { isOneRoundTrip: true },
  );
  return row!;
}
