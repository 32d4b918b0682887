import type { TenantTx } from '@botyard/shared/db/database';

export interface AuthorizationCounts extends Record<string, unknown> {
  activeMutes: number;
  restrictedChannels: number;
  restrictedPrivateChats: number;
  channelGrants: number;
  privateChatGrants: number;
  policies: number;
  admins: number;
  members: number;
}

const text = `
  select
    (select count(*)::int from tenancy.mutes where tenant_id = $1 and (until is null or until > now())) as "activeMutes",
    (select count(*)::int from tenancy.chat_rules where tenant_id = $1 and channels = 'granted') as "restrictedChannels",
    (select count(*)::int from tenancy.chat_rules where tenant_id = $1 and private_chats = 'granted')
      as "restrictedPrivateChats",
    (select count(*)::int from tenancy.channel_grants where tenant_id = $1) as "channelGrants",
    (select count(*)::int from tenancy.private_chat_grants where tenant_id = $1 and (until is null or until > now()))
      as "privateChatGrants",
    (select count(*)::int from tenancy.policies where tenant_id = $1) as policies,
    count(*) filter (where relation = 'admin')::int as admins,
    count(*) filter (where relation = 'member')::int as members
  from (select role as relation from tenancy.memberships where tenant_id = $1
    union all select relation from tenancy.edges where tenant_id = $1) as related`;

export async function countAuthorization(tx: TenantTx, tenantId: string): Promise<AuthorizationCounts> {
  const [counts] = await tx.query<AuthorizationCounts>({
    name: 'tenancy.authorization.counts',
    text,
    values: [tenantId],
  });
  return counts!;
}
