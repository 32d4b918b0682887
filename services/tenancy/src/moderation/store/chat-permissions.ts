import type { PlatformName } from '@botyard/contracts/http/platform';
import { type Database, withTenant } from '@botyard/shared/db/database';
import { exists, like, texts } from '@botyard/shared/db/expressions';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { chatRules } from '../../store/authorization-schema.ts';

const permissions = columns({
  /** Those of the given people who are muted for the bot. */
  muted: texts(`array(select m.platform_user_id from tenancy.mutes m
    where m.tenant_id = $1 and m.platform = $3 and m.platform_user_id = any ($5::text[])
      and (m.bot_id is null or m.bot_id = $2) and (m.until is null or m.until > now()))`),
  channels: like(chatRules.channels, `coalesce(r.channels, 'all')`),
  isChatGranted: exists(`from tenancy.channel_grants g
    where g.tenant_id = $1 and g.bot_id = $2 and g.platform = $3 and g.platform_chat_id = any ($4::text[])`),
  privateChats: like(chatRules.privateChats, `coalesce(r.private_chats, 'all')`),
  /** Those of the given people who have a grant for private chats with the bot. */
  grantedInPrivate: texts(`array(select g.platform_user_id from tenancy.private_chat_grants g
    where g.tenant_id = $1 and g.bot_id = $2 and g.platform = $3 and g.platform_user_id = any ($5::text[])
      and (g.until is null or g.until > now()))`),
  /** Whether anybody is muted for the bot. */
  hasMutes: exists(`from tenancy.mutes m where m.tenant_id = $1 and (m.bot_id is null or m.bot_id = $2)
    and (m.until is null or m.until > now())`),
  hasPolicies: exists('from tenancy.policies p where p.tenant_id = $1 and p.is_enabled'),
});
/** A tenant's permissions for people who write to a bot in a chat, at one moment. */
export type ChatPermissions = RowOf<typeof permissions>;

const text = typedSql`
  select ${permissions} from (select) as here
  left join tenancy.chat_rules r on r.tenant_id = $1 and r.bot_id = $2`;

/** One round trip, because messages of a restricted bot wait for it. */
export async function getChatPermissions(
  database: Database,
  question: {
    tenantId: string;
    botId: string;
    platform: PlatformName;
    /** The chat's identifier, and its former one, if any. */
    platformChatIds: readonly string[];
    platformUserIds: readonly string[];
  },
): Promise<ChatPermissions> {
  const { tenantId, botId, platform, platformChatIds, platformUserIds } = question;
  const [row] = await withTenant(
    database,
    [tenantId],
    (tx) =>
      tx.query({
        name: 'tenancy.chat_permissions',
        text,
        values: [tenantId, botId, platform, platformChatIds, platformUserIds],
      }),
    { isOneRoundTrip: true },
  );
  return row!;
}
