import type { PlatformName } from '@botyard/contracts/http/platform';
import { type Database, runForTenants } from '@botyard/shared/db/database';

/** What a tenant's rules allow some people who write to a bot in a chat, at one moment. */
export interface ChatPermissions extends Record<string, unknown> {
  /** The asked people that are muted for the bot. */
  muted: string[];
  channels: 'all' | 'granted';
  isChatGranted: boolean;
  privateChats: 'all' | 'granted';
  /** The asked people that have a grant for private chats with the bot. */
  grantedInPrivate: string[];
  /** Whether anybody is muted for the bot. */
  hasMutes: boolean;
  hasPolicies: boolean;
}

const text = `
  select
    array(select m.platform_user_id from tenancy.mutes m
      where m.tenant_id = $1 and m.platform = $3 and m.platform_user_id = any ($5::text[])
        and (m.bot_id is null or m.bot_id = $2) and (m.until is null or m.until > now())) as muted,
    coalesce(r.channels, 'all') as channels,
    exists (select from tenancy.channel_grants g
      where g.tenant_id = $1 and g.bot_id = $2 and g.platform = $3 and g.platform_chat_id = any ($4::text[])) as "isChatGranted",
    coalesce(r.private_chats, 'all') as "privateChats",
    array(select g.platform_user_id from tenancy.private_chat_grants g
      where g.tenant_id = $1 and g.bot_id = $2 and g.platform = $3 and g.platform_user_id = any ($5::text[])
        and (g.until is null or g.until > now())) as "grantedInPrivate",
    exists (select from tenancy.mutes m where m.tenant_id = $1 and (m.bot_id is null or m.bot_id = $2)
      and (m.until is null or m.until > now())) as "hasMutes",
    exists (select from tenancy.policies p where p.tenant_id = $1 and p.is_enabled) as "hasPolicies"
  from (select) as here
  left join tenancy.chat_rules r on r.tenant_id = $1 and r.bot_id = $2`;

/** One round trip: a message of a restricted bot waits for it. */
export async function getChatPermissions(
  database: Database,
  asked: {
    tenantId: string;
    botId: string;
    platform: PlatformName;
    /** The chat's name, and the one that it had before, if any. */
    platformChatIds: readonly string[];
    platformUserIds: readonly string[];
  },
): Promise<ChatPermissions> {
  const { tenantId, botId, platform, platformChatIds, platformUserIds } = asked;
  const [permissions] = await runForTenants<ChatPermissions>(database, [tenantId], {
    name: 'tenancy.chat_permissions',
    text,
    values: [tenantId, botId, platform, platformChatIds, platformUserIds],
  });
  return permissions!;
}
