import type { AnyTx } from '@botyard/shared/db/database';
import { and, desc, eq, lt } from '@botyard/shared/db/drizzle';
import type { PageRequest } from '@botyard/shared/http/page';
import { isWithin, type Reach } from './reach.ts';
import { conversations, people, quotes } from './schema.ts';

export interface QuoteFilter {
  botId?: string | undefined;
  chatId?: string | undefined;
  personId?: string | undefined;
}

/** Quotations within reach with their chat and who quoted, newest first, one more than the page's limit. */
export async function listQuotesWithin(
  tx: AnyTx,
  reach: Reach,
  { botId, chatId, personId, ...page }: PageRequest & QuoteFilter,
) {
  const { quoteId, tenantId, kind, text, author, createdAt } = quotes;
  const { platformUserId, name } = people;
  return await tx.db
    .select({
      quoteId,
      tenantId,
      botId: quotes.botId,
      chatId: conversations.chatId,
      kind,
      text,
      author,
      quotedBy: { personId: quotes.personId, platformUserId, name },
      createdAt,
    })
    .from(quotes)
    .innerJoin(
      conversations,
      and(eq(conversations.tenantId, tenantId), eq(conversations.conversationId, quotes.conversationId)),
    )
    .innerJoin(
      people,
      and(
        eq(people.tenantId, tenantId),
        eq(people.conversationId, quotes.conversationId),
        eq(people.personId, quotes.personId),
      ),
    )
    .where(
      and(
        isWithin(tenantId, reach),
        botId ? eq(quotes.botId, botId) : undefined,
        chatId ? eq(conversations.chatId, chatId) : undefined,
        personId ? eq(quotes.personId, personId) : undefined,
        page.before ? lt(quoteId, page.before) : undefined,
      ),
    )
    .orderBy(desc(quoteId))
    .limit(page.limit + 1);
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
