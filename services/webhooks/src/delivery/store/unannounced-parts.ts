import type { PlatformTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { like } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { chats, parts } from '../../store/schema.ts';

const p = alias(parts, 'p');
const unannounced = columns({
  ...pick(p, 'tenantId', 'partId', 'replyId', 'botId', 'chatKey'),
  platform: like(chats.platform, 'coalesce(r.platform, c.platform)'),
});
type UnannouncedPart = RowOf<typeof unannounced>;

const unannouncedText = typedSql`
  select ${unannounced}
  from webhooks.parts p
  left join webhooks.replies r on r.tenant_id = p.tenant_id and r.reply_id = p.reply_id
  left join webhooks.chats c on c.tenant_id = p.tenant_id
    and c.bot_id = p.bot_id
    and c.platform_chat_id = p.platform_chat_id
  where p.is_unannounced
  limit 100`;

/** Parts whose outcome was saved without its event. */
export async function listUnannouncedParts(tx: PlatformTx): Promise<UnannouncedPart[]> {
  return await tx.query({ name: 'webhooks.parts.unannounced', text: unannouncedText, values: [] });
}

/** Clears the mark. */
export const takeUnannounced = preparedStatement({
  name: 'webhooks.parts.announce',
  text: `update webhooks.parts set is_unannounced = false where tenant_id = $1 and part_id = $2`,
  values: ({ tenantId, partId }: UnannouncedPart) => [tenantId, partId],
});

/** Makes sure that the outbox takes events in this transaction. @throws without waiting if it is locked. */
export const lockOutboxForWriting = preparedStatement({
  name: 'webhooks.outbox.lock',
  text: 'lock table webhooks.outbox in row exclusive mode nowait',
  values: () => [],
});
