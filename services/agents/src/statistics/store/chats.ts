import type { PageRequest } from '@botyard/contracts/http/page';
import type { AnyTx } from '@botyard/shared/db/database';
import { and, desc, lt, sql } from '@botyard/shared/db/drizzle';
import { number } from '@botyard/shared/db/expressions';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import type { ConversationRow } from '../../conversations/store/messages.ts';
import { isWithin, type PersonInTenant, type Reach, tableOf } from '../../store/reach.ts';
import { conversations, people } from '../../store/schema.ts';

const chatPerson = columns({
  ...pick(people, 'conversationId', 'personId', 'platformUserId', 'name', 'username'),
  /** The number of people in the chat. */
  peopleCount: number('people_count'),
});
export type ChatPersonRow = RowOf<typeof chatPerson>;

/** Chats within reach, newest first, one more than the page's limit. */
export async function listConversationsWithin(
  tx: AnyTx,
  reach: Reach,
  { limit, before, oneOf }: PageRequest & { oneOf?: readonly PersonInTenant[] | undefined },
): Promise<ConversationRow[]> {
  return await tx.db
    .select()
    .from(conversations)
    .where(
      and(
        isWithin(conversations.tenantId, reach),
        before ? lt(conversations.chatId, before) : undefined,
        oneOf ? hasOneOf(oneOf) : undefined,
      ),
    )
    .orderBy(desc(conversations.chatId))
    .limit(limit + 1);
}

const hasOneOf = (wanted: readonly PersonInTenant[]) =>
  sql`(${conversations.tenantId}, ${conversations.conversationId}) in (select p.tenant_id, p.conversation_id
    from ${tableOf(wanted)} join agents.people p using (tenant_id, person_id))`;

/** The people of these chats: up to a limit for each, latest authors first. */
export async function listPeopleOf(
  tx: AnyTx,
  chats: readonly Pick<ConversationRow, 'tenantId' | 'conversationId'>[],
  maxOfEach: number,
): Promise<ChatPersonRow[]> {
  if (chats.length === 0) return [];
  return await tx.query({
    name: 'agents.people.of-chats',
    text: typedSql`select ${chatPerson}
           from (select p.*, count(*) over chat as people_count,
               row_number() over (chat order by last_seen_at desc, person_id) as place
             from unnest($1::uuid[], $2::uuid[]) as wanted (tenant_id, conversation_id)
             join agents.people p using (tenant_id, conversation_id)
             window chat as (partition by tenant_id, conversation_id)) ranked
           where place <= $3 order by place`,
    values: [
      chats.map(({ tenantId }) => tenantId),
      chats.map(({ conversationId }) => conversationId),
      maxOfEach,
    ],
  });
}
