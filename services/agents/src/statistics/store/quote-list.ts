import type { PageRequest } from '@botyard/contracts/http/page';
import type { AnyTx } from '@botyard/shared/db/database';
import { and, desc, eq, inArray, lt, sql } from '@botyard/shared/db/drizzle';
import { quotes } from '../../store/chat-schema.ts';
import { isWithin, type PersonInTenant, type Reach, tableOf } from '../../store/reach.ts';
import { conversations, people } from '../../store/schema.ts';

export interface QuoteFilter {
  botId?: string | undefined;
  chatId?: string | undefined;
  personId?: string | undefined;
  /** Only these people; an empty list matches nobody. */
  oneOf?: readonly PersonInTenant[] | undefined;
}

/** Quotes within reach with their chat and the person who quoted, newest first, one more than the page's limit. */
export async function listQuotesWithin(tx: AnyTx, reach: Reach, wanted: PageRequest & QuoteFilter) {
  const page = pageOfQuotes(tx, reach, wanted);
  const { quoteId, tenantId, botId, kind, text, author, createdAt, personId } = page;
  const { platformUserId, name } = people;
  const { chatId, platform } = conversations;
  const quotedBy = { personId, platformUserId, name };
  const inConversation = (table: typeof conversations | typeof people) =>
    and(eq(table.tenantId, tenantId), eq(table.conversationId, page.conversationId));
  return await tx.db
    .select({ quoteId, tenantId, botId, chatId, platform, kind, text, author, quotedBy, createdAt })
    .from(page)
    .innerJoin(conversations, inConversation(conversations))
    .innerJoin(people, and(inConversation(people), eq(people.personId, personId)))
    .orderBy(desc(quoteId));
}

/** Limited before the joins: every quote has its chat and its person. */
function pageOfQuotes(
  { db }: AnyTx,
  reach: Reach,
  { botId, chatId, personId, oneOf, before, limit }: PageRequest & QuoteFilter,
) {
  const ofChat = (id: string) =>
    db
      .select({ conversationId: conversations.conversationId })
      .from(conversations)
      .where(eq(conversations.chatId, id));
  return db
    .select()
    .from(quotes)
    .where(
      and(
        isWithin(quotes.tenantId, reach),
        botId ? eq(quotes.botId, botId) : undefined,
        chatId ? inArray(quotes.conversationId, ofChat(chatId)) : undefined,
        personId ? eq(quotes.personId, personId) : undefined,
        oneOf
          ? sql`(${quotes.tenantId}, ${quotes.personId}) in (select * from ${tableOf(oneOf)})`
          : undefined,
        before ? lt(quotes.quoteId, before) : undefined,
      ),
    )
    .orderBy(desc(quotes.quoteId))
    .limit(limit + 1)
    .as('page');
}

/** The tenant in which a person is known, within reach. */
export async function findTenantOfPerson(
  tx: AnyTx,
  reach: Reach,
  personId: string,
): Promise<string | undefined> {
  const [row] = await tx.db
    .select({ tenantId: people.tenantId })
    .from(people)
    .where(and(isWithin(people.tenantId, reach), eq(people.personId, personId)))
    .limit(1);
  return row?.tenantId;
}
