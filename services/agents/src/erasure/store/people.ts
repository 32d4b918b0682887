import type { Account } from '@botyard/shared/auth/person-id';
import { alias } from '@botyard/shared/db/drizzle';
import { boolean, text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { conversations, people } from '../../store/schema.ts';

/** The accounts of these people, as of the time of their messages. */
export const listAccounts = preparedStatement({
  name: 'agents.erasure.accounts',
  text: typedSql`select distinct ${columns({ platform: people.platform, platformUserId: people.platformUserId })}
         from agents.people
         where tenant_id = $1 and person_id = any ($2::uuid[]) limit 50`,
  values: (tenantId: string, personIds: readonly string[]) => [tenantId, personIds],
});

/** Accounts as two lists, for `unnest`. */
export const namesOf = (accounts: readonly Account[]) => ({
  platforms: accounts.map(({ platform }) => platform),
  platformUserIds: accounts.map(({ platformUserId }) => platformUserId),
});

/** Limit per call. If it is reached, there may be more. */
export const maxConversations = 10_000;

const c = alias(conversations, 'c');
const personConversation = columns({
  conversationId: c.conversationId,
  platform: c.platform,
  isPrivate: boolean("c.place ->> 'kind' = 'private'"),
  platformChatId: text("c.place ->> 'platformChatId'"),
});
export type PersonConversation = RowOf<typeof personConversation>;

/**
 * Current and past conversations of people: those where they wrote, their private chats, and those where they are
 * quoted.
 */
export const listConversationsOfPeople = preparedStatement({
  name: 'agents.erasure.conversations',
  text: typedSql`with named as (
           select conversation_id from agents.people where tenant_id = $tenantId and person_id = any ($personIds::uuid[])
           union select conversation_id from agents.quotes where tenant_id = $tenantId and person_id = any ($personIds::uuid[])
           union select q.conversation_id from agents.quotes q
             join agents.conversations c on c.tenant_id = q.tenant_id and c.conversation_id = q.conversation_id
             where q.tenant_id = $tenantId
               and (c.platform, q.author ->> 'platformUserId') in (select * from unnest($platforms::text[], $platformUserIds::text[]))
           union select conversation_id from agents.archive_chats
             where tenant_id = $tenantId and person_ids && $personIds::uuid[]
           union select conversation_id from agents.conversations c
             where tenant_id = $tenantId and place ->> 'kind' = 'private'
               and (platform, place ->> 'platformChatId') in (select * from unnest($platforms::text[], $platformUserIds::text[])))
         select ${personConversation}
         from named join agents.conversations c on c.tenant_id = $tenantId and c.conversation_id = named.conversation_id
         limit ${maxConversations}`,
  values: ({
    tenantId,
    personIds,
    accounts,
  }: {
    tenantId: string;
    personIds: readonly string[];
    accounts: readonly Account[];
  }) => ({ tenantId, personIds, ...namesOf(accounts) }),
});
