import { normalUserId, type PlatformName } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';

export interface PersonPermissions extends Record<string, unknown> {
  platform: PlatformName;
  platformUserId: string;
  /** For any bot of the tenant. */
  isMuted: boolean;
  privateChatGrants: number;
}

/** What moderation and grants say of these people over all bots of a tenant. */
export async function listPeoplePermissions(
  tx: TenantTx,
  tenantId: string,
  people: readonly Pick<PersonPermissions, 'platform' | 'platformUserId'>[],
): Promise<PersonPermissions[]> {
  if (people.length === 0) return [];
  const isTheirs = (table: string) =>
    `${table}.tenant_id = $1 and ${table}.platform = who.platform and (${table}.until is null or ${table}.until > now())
     and ${table}.platform_user_id = who.normal_id`;
  return await tx.query<PersonPermissions>({
    name: 'tenancy.people.permissions',
    text: `select who.platform, who.id as "platformUserId",
             exists (select from tenancy.mutes m where ${isTheirs('m')}) as "isMuted",
             (select count(*)::int from tenancy.private_chat_grants g where ${isTheirs('g')}) as "privateChatGrants"
           from unnest($2::text[], $3::text[], $4::text[]) as who (platform, id, normal_id)`,
    values: [
      tenantId,
      people.map(({ platform }) => platform),
      people.map(({ platformUserId }) => platformUserId),
      people.map(({ platform, platformUserId }) => normalUserId(platform, platformUserId)),
    ],
  });
}
