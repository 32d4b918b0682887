import { loginPlatform } from '@botyard/contracts/http/platform';
import type { Account } from '@botyard/shared/auth/person-id';
import type { PlatformTx } from '@botyard/shared/db/database';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { mutes } from '../../store/authorization-schema.ts';

/** All accounts that a tenant's admins have named, and that its visiting members have linked. */
export async function listNamedAccounts(tx: PlatformTx, tenantId: string): Promise<Account[]> {
  return await tx.query({
    name: 'tenancy.erasure.named',
    text: typedSql`select ${columns({ platform: mutes.platform, platformUserId: mutes.platformUserId })}
           from tenancy.mutes where tenant_id = $1
           union select platform, platform_user_id from tenancy.private_chat_grants where tenant_id = $1
           union select platform, from_id from tenancy.renamed_people where tenant_id = $1
           union select platform, to_id from tenancy.renamed_people where tenant_id = $1
           union select 'email', email from tenancy.invitations where tenant_id = $1
           union select l.platform, l.platform_user_id from tenancy.identity_links l
             join tenancy.memberships m on m.tenant_id = $1 and m.user_id = l.user_id and m.visited_at is not null`,
    values: [tenantId],
  });
}

interface Named {
  tenantId: string;
  accounts: readonly Account[];
  erasedBefore: Date;
}

/**
 * Removes this service's data about accounts in a tenant. A link belongs to the person, and is removed if they belong
 * to no other tenant. Returns the number of removed rows, by table.
 */
export async function deleteOwnRows(
  tx: PlatformTx,
  { tenantId, accounts, erasedBefore }: Named,
): Promise<Map<string, number>> {
  const values = [
    accounts.map(({ platform }) => platform),
    accounts.map(({ platformUserId }) => platformUserId),
    erasedBefore,
    tenantId,
  ];
  const isTheirs = `(platform, platform_user_id) in (select * from unnest($1::text[], $2::text[])) and created_at <= $3`;
  const remove = async (table: string, where: string) => {
    const text = `delete from tenancy.${table} where ${where} and $4::uuid is not null returning 1`;
    return [table, (await tx.query({ name: `tenancy.erasure.${table}`, text, values })).length] as const;
  };
  const counts = [
    await remove('mutes', `tenant_id = $4 and ${isTheirs}`),
    await remove('private_chat_grants', `tenant_id = $4 and ${isTheirs}`),
    await remove(
      'renamed_people',
      `tenant_id = $4 and created_at <= $3 and exists (select from unnest($1::text[], $2::text[]) as u (platform, id)
         where u.platform = renamed_people.platform and u.id in (from_id, to_id))`,
    ),
    await remove(
      'identity_links',
      `${isTheirs} and exists (select from tenancy.memberships m
           where m.user_id = identity_links.user_id and m.tenant_id = $4 and m.visited_at is not null)
         and not exists (select from tenancy.memberships m where m.user_id = identity_links.user_id and m.tenant_id <> $4)`,
    ),
    await remove(
      'messenger_logins',
      `platform_user_id in (select id from unnest($1::text[], $2::text[]) as u (platform, id) where platform = '${loginPlatform}')
         and verified_at <= $3 and not exists (select from tenancy.identity_links l where l.platform = '${loginPlatform}'
           and l.platform_user_id = messenger_logins.platform_user_id)`,
    ),
    await remove(
      'invitations',
      `tenant_id = $4 and created_at <= $3 and ('email', email) in
         (select platform, lower(id) from unnest($1::text[], $2::text[]) as u (platform, id))`,
    ),
  ];
  return new Map(counts);
}
