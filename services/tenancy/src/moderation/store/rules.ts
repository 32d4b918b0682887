import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq } from '@botyard/shared/db/drizzle';
import { translated } from '@botyard/shared/db/rows';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { notFound } from '@botyard/shared/http/errors';
import { chatRules } from '../../store/authorization-schema.ts';
import { bots } from '../../store/schema.ts';

const { botId: ofBot, channels, privateChats } = chatRules;
const rulesOfBot = columns({ botId: ofBot, channels, privateChats });
export type ChatRulesRow = RowOf<typeof rulesOfBot>;
export type ChatRulesChange = { [Name in 'channels' | 'privateChats']?: ChatRulesRow[Name] | undefined };

interface BotKey {
  tenantId: string;
  botId: string;
}

/** Returns `undefined` when the tenant has no such bot. A bot without rules serves everybody everywhere. */
export async function getChatRules(
  tx: TenantTx,
  { tenantId, botId }: BotKey,
): Promise<ChatRulesRow | undefined> {
  const [row] = await tx.db
    .select({ botId: bots.botId, channels: chatRules.channels, privateChats: chatRules.privateChats })
    .from(bots)
    .leftJoin(chatRules, and(eq(chatRules.tenantId, bots.tenantId), eq(chatRules.botId, bots.botId)))
    .where(and(eq(bots.tenantId, tenantId), eq(bots.botId, botId)));
  return (
    row && { botId: row.botId, channels: row.channels ?? 'all', privateChats: row.privateChats ?? 'all' }
  );
}

/** Changes the given fields. @throws HttpError 404 when the tenant has no such bot. */
export async function saveChatRules(
  tx: TenantTx,
  { tenantId, botId }: BotKey,
  change: ChatRulesChange,
): Promise<ChatRulesRow> {
  const saving = tx.query({
    name: 'tenancy.chat_rules.put',
    text: typedSql`insert into tenancy.chat_rules as r (tenant_id, bot_id, channels, private_chats)
            values ($1, $2, coalesce($3, 'all'), coalesce($4, 'all'))
            on conflict (tenant_id, bot_id) do update set channels = coalesce($3, r.channels),
             private_chats = coalesce($4, r.private_chats), updated_at = now()
            returning ${rulesOfBot}`,
    values: [tenantId, botId, change.channels ?? null, change.privateChats ?? null],
  });
  const [row] = await translated(saving, { chat_rules_of_bot: (cause) => notFound('bot', { cause }) });
  return row!;
}
