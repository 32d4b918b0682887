import type { Account } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { mutes, renamedPeople } from '../../store/authorization-schema.ts';

export interface Renaming {
  tenantId: string;
  platform: Account['platform'];
  from: string;
  to: string;
}

const presentText = typedSql`select ${columns({ toId: renamedPeople.toId })} from tenancy.renamed_people
  where tenant_id = $1 and platform = $2 and from_id = $3`;

/** The identifier that a person has now. */
export async function findPresentId(
  tx: TenantTx,
  { tenantId, platform, id }: Pick<Renaming, 'tenantId' | 'platform'> & { id: string },
): Promise<string> {
  const [row] = await tx.query({
    name: 'tenancy.renamed_people.present',
    text: presentText,
    values: [tenantId, platform, id],
  });
  return row?.toId ?? id;
}

/** `to` is the identifier that the person has now. All earlier ones lead to it from now on. */
export async function insertRenaming(
  tx: TenantTx,
  { tenantId, platform, from, to }: Renaming,
): Promise<void> {
  const values = [tenantId, platform, from, to];
  await tx.query({
    name: 'tenancy.renamed_people.regained',
    text: `delete from tenancy.renamed_people
           where tenant_id = $1 and platform = $2 and from_id = $3 returning 1`,
    values: [tenantId, platform, to],
  });
  await tx.query({
    name: 'tenancy.renamed_people.follow',
    text: `update tenancy.renamed_people set to_id = $4
           where tenant_id = $1 and platform = $2 and to_id = $3 returning 1`,
    values,
  });
  await tx.query({
    name: 'tenancy.renamed_people.insert',
    text: `insert into tenancy.renamed_people (tenant_id, platform, from_id, to_id) values ($1, $2, $3, $4)
           on conflict (tenant_id, platform, from_id) do update set to_id = excluded.to_id returning 1`,
    values,
  });
}

/**
 * Gives the mutes and grants of a person to their new identifier. Where that has one of its own, the longer one stays.
 * Returns whether there were any.
 */
export async function movePermissions(
  tx: TenantTx,
  { tenantId, platform, from, to }: Renaming,
): Promise<boolean> {
  let moved = 0;
  for (const table of ['mutes', 'private_chat_grants']) {
    const own = 'o.tenant_id = $1 and o.platform = $2';
    const rows = await tx.query({
      name: `tenancy.${table}.rename`,
      text: `with old as (
               delete from tenancy.${table} o where ${own} and o.platform_user_id = $3 returning *
             ), longer as (
               update tenancy.${table} o
               set until = case when o.until is null or old.until is null then null
                 else greatest(o.until, old.until) end
               from old
               where ${own} and o.platform_user_id = $4 and o.bot_id is not distinct from old.bot_id
               returning 1
             ), moved as (
               insert into tenancy.${table}
               select (jsonb_populate_record(null::tenancy.${table},
                 to_jsonb(old) || jsonb_build_object('platform_user_id', $4::text))).*
               from old
               where not exists (select from tenancy.${table} o
                 where ${own} and o.platform_user_id = $4 and o.bot_id is not distinct from old.bot_id)
               returning 1
             )
             select 1 from old`,
      values: [tenantId, platform, from, to],
    });
    moved += rows.length;
  }
  return moved > 0;
}

/** These accounts, and all that the same people have or had. */
export const listAllNames = preparedStatement({
  name: 'tenancy.renamed_people.all',
  text: typedSql`
    with named as (
      select * from unnest($2::text[], $3::text[]) as n (platform, id)
    ), present as (
      select n.platform, coalesce(r.to_id, n.id) as id
      from named n left join tenancy.renamed_people r
        on r.tenant_id = $1 and r.platform = n.platform and r.from_id = n.id
    ), every_name (platform, platform_user_id) as (
      select platform, id from named
      union select platform, id from present
      union select r.platform, r.from_id
        from present p join tenancy.renamed_people r
          on r.tenant_id = $1 and r.platform = p.platform and r.to_id = p.id
    )
    select ${columns({ platform: mutes.platform, platformUserId: mutes.platformUserId })} from every_name`,
  values: (tenantId: string, accounts: readonly Account[]) => [
    tenantId,
    accounts.map(({ platform }) => platform),
    accounts.map(({ platformUserId }) => platformUserId),
  ],
});
