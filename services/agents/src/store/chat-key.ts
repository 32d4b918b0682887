import { platformsThat } from '@botyard/contracts/http/platform';
import { type SQL, sql } from '@botyard/shared/db/drizzle';
import { conversations } from './schema.ts';

const alone = platformsThat('namesChatsAlone')
  .map((name) => `'${name}'`)
  .join(', ');

/** The key of the chat of the conversation `c`, as `chatKeyOf` makes it. */
export const chatKeyText = `case when c.platform in (${alone}) then c.place ->> 'platformChatId'
  else c.platform || ':' || (c.place ->> 'platformChatId') end`;

/** The same for a query that is built. */
export const chatKey: SQL = sql`case when ${conversations.platform} in (${sql.raw(alone)})
  then ${conversations.place} ->> 'platformChatId'
  else ${conversations.platform} || ':' || (${conversations.place} ->> 'platformChatId') end`;

/** The topic of the conversation `c`. A thread is no topic: it has the rules of the messages around it. */
export const topicText = `case when c.place ->> 'threadKind' = 'thread' then 'general'
  else coalesce(c.place ->> 'threadId', 'general') end`;
