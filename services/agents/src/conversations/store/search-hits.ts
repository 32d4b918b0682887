import { searchedMessages } from '@botyard/contracts/http/interactions-chats';
import type { TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { text } from '@botyard/shared/db/expressions';
import { containing } from '@botyard/shared/db/sorting';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { messages } from '../../store/schema.ts';

/** The characters of a message that are read on each side of the wanted text. */
const around = 120;

const m = alias(messages, 'm');
const hitColumns = columns({
  conversationId: m.conversationId,
  messageId: m.messageId,
  excerpt: text(
    `substr(m.text, greatest(1, strpos(lower(m.text), lower($q)) - ${around}), ${2 * around} + length($q))`,
  ),
});
type HitRow = RowOf<typeof hitColumns>;

const hitsText = typedSql`
  select distinct on (m.conversation_id) ${hitColumns}
  from (
    select conversation_id, message_id, text
    from agents.messages
    where tenant_id = $tenantId
    order by message_id desc
    limit ${searchedMessages}
  ) m
  where m.conversation_id = any ($conversationIds::uuid[])
    and m.text ilike $pattern
  order by m.conversation_id, m.message_id desc`;

/** The newest message of each of these conversations that contains the text, among those that a search covers. */
export async function listHits(
  tx: TenantTx,
  { tenantId, conversationIds, q }: { tenantId: string; conversationIds: readonly string[]; q: string },
): Promise<HitRow[]> {
  if (conversationIds.length === 0) return [];
  return await tx.query({
    name: 'agents.messages.hits',
    text: hitsText,
    values: { tenantId, conversationIds, q, pattern: containing(q) },
  });
}
