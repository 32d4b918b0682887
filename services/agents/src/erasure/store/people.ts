import type { Account } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { boolean } from '@botyard/shared/db/expressions';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { conversations, people } from '../../store/schema.ts';

/** The accounts of these people, as of the time of their messages. */
export async function listAccounts(
  tx: TenantTx,
  tenantId: string,
  personIds: readonly string[],
): Promise<Account[]> {
  return await tx.query({
    name: 'agents.erasure.accounts',
    text: typedSql`select distinct ${columns({ platform: people.platform, platformUserId: people.platformUserId })}
           from agents.people
           where tenant_id = $1 and person_id = any ($2::uuid[]) limit 50`,
    values: [tenantId, personIds],
  });
}

/** Limit per call. If it is reached, there may be more. */
export const maxConversations = 10_000;

const personConversation = columns({
  conversationId: alias(conversations, 'c').conversationId,
  isPrivate: boolean("c.place ->> 'kind' = 'private'"),
});
export type PersonConversation = RowOf<typeof personConversation>;

/**
 * Current and past conversations of people: those where they wrote, their private chats, and those where they are
 * quoted.
 */
export async function listConversationsOfPeople(
  tx: TenantTx,
  {
    tenantId,
    personIds,
    platformUserIds,
  }: { tenantId: string; personIds: readonly string[]; platformUserIds: readonly string[] },
): Promise<PersonConversation[]> {
  return await tx.query({
    name: 'agents.erasure.conversations',
    text: typedSql`with named as (
             select conversation_id from agents.people where tenant_id = $1 and person_id = any ($2::uuid[])
             union select conversation_id from agents.quotes
               where tenant_id = $1 and (person_id = any ($2::uuid[]) or author ->> 'platformUserId' = any ($3::text[]))
             union select conversation_id from agents.archive_chats where tenant_id = $1 and person_ids && $2::uuid[]
             union select conversation_id from agents.conversations
               where tenant_id = $1 and place ->> 'kind' = 'private' and place ->> 'platformChatId' = any ($3::text[]))
           select ${personConversation}
           from named join agents.conversations c on c.tenant_id = $1 and c.conversation_id = named.conversation_id
           limit ${maxConversations}`,
    values: [tenantId, personIds, platformUserIds],
  });
}
