import type { Account } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { countOf, number } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { namesOf } from './people.ts';

interface Until {
  tenantId: string;
  conversationIds: readonly string[];
  erasedBefore: Date;
}

const counted = async (tx: TenantTx, statement: Parameters<TenantTx['query']>[0]): Promise<number> =>
  (await tx.query(statement)).length;

const deleted = columns({
  messages: number('(select count(*) from heard) + (select count(*) from told)'),
  turns: countOf('from answered'),
});

/**
 * Deletes up to `limit` messages of private chats, with the turns that answered them and their answers. Returns how
 * many of each.
 */
export const deleteSaid = preparedStatement({
  name: 'agents.erasure.said',
  text: typedSql`with heard as (
           delete from agents.messages where (tenant_id, message_id) in (select tenant_id, message_id from agents.messages
             where tenant_id = $1 and conversation_id = any ($2::uuid[]) and direction = 'in' and received_at <= $3 limit $4)
           returning message_id),
         answered as (
           delete from agents.turns t where t.tenant_id = $1 and t.conversation_id = any ($2::uuid[])
             and (t.message_ids && coalesce((select array_agg(message_id) from heard), '{}') or t.turn_id in (
               select turn_id from agents.turns where tenant_id = $1 and conversation_id = any ($2::uuid[])
                 and created_at <= $3 limit $4))
           returning reply_id),
         told as (
           delete from agents.messages m where m.tenant_id = $1 and m.conversation_id = any ($2::uuid[])
             and m.direction = 'out' and (m.message_id in (select reply_id from answered) or m.message_id in (
               select message_id from agents.messages where tenant_id = $1 and conversation_id = any ($2::uuid[])
                 and direction = 'out' and created_at <= $3 limit $4))
           returning 1)
         select ${deleted}`,
  values: ({ tenantId, conversationIds, erasedBefore }: Until, limit: number) => [
    tenantId,
    conversationIds,
    erasedBefore,
    limit,
  ],
  result: ([row]) => row!,
});

/** Invalidates the claims of workers on these conversations, so that their writes are rejected. */
export const breakFences = preparedStatement({
  name: 'agents.erasure.fences',
  text: `update agents.conversations set fence = fence + 1, lease_until = null, last_error = null, summarized_until = null,
           sticky_agent_id = null, rating_question_id = null, handover_reason = null, label_ids = null where (tenant_id, conversation_id) in (select tenant_id, conversation_id
             from agents.conversations where tenant_id = $1 and conversation_id = any ($2::uuid[]) order by 2 for update)`,
  values: ({ tenantId, conversationIds }: Until) => [tenantId, conversationIds],
});

/**
 * Clears the place of private chats, because it identifies the person. It is set again if they return; the positions
 * continue.
 */
export async function forgetPlaces(tx: TenantTx, { tenantId, conversationIds }: Until): Promise<number> {
  return await counted(tx, {
    name: 'agents.erasure.places',
    text: `update agents.conversations c set place = '{"platformChatId": "", "kind": "private", "title": ""}'
           where tenant_id = $1 and conversation_id = any ($2::uuid[]) and place ->> 'platformChatId' <> ''
             and not exists (select from agents.messages m where m.tenant_id = c.tenant_id and m.conversation_id = c.conversation_id
               and (m.text <> '' or m.sender is not null or m.status = 'queued'))
           returning 1`,
    values: [tenantId, conversationIds],
  });
}

/**
 * Deletes edits without a message, and what models and staff wrote about the conversation. In groups, deletions of
 * messages stay until they are done: they name nobody.
 */
export async function deleteMadeOf(
  tx: TenantTx,
  { tenantId, conversationIds }: Until,
  place: 'private' | 'group',
) {
  const ofConversations = 'tenant_id = $1 and conversation_id = any ($2::uuid[])';
  const [edits, summaries, notes, changes] = await Promise.all([
    counted(tx, {
      name: 'agents.erasure.early_edits',
      text: `delete from agents.early_edits where ${ofConversations} and ($3 or deleted_at is null) returning 1`,
      values: [tenantId, conversationIds, place === 'private'],
    }),
    ...['summaries', 'chat_notes', 'chat_changes'].map((table) =>
      counted(tx, {
        name: `agents.erasure.${table}`,
        text: `delete from agents.${table} where ${ofConversations} returning 1`,
        values: [tenantId, conversationIds],
      }),
    ),
  ]);
  return { edits: edits ?? 0, summaries: summaries ?? 0, notes: notes ?? 0, changes: changes ?? 0 };
}

interface Named {
  tenantId: string;
  personIds: readonly string[];
  accounts: readonly Account[];
  erasedBefore: Date;
}

/** Deletes quotes by these people, and other people's quotes of them. */
export async function deleteQuotes(
  tx: TenantTx,
  wanted: Named & { privateIds: readonly string[] },
): Promise<number> {
  return await counted(tx, {
    name: 'agents.erasure.quotes',
    text: `delete from agents.quotes q where tenant_id = $tenantId
             and (exists (select from agents.conversations c where c.tenant_id = q.tenant_id and c.conversation_id = q.conversation_id
                 and (c.platform, q.author ->> 'platformUserId') in (select * from unnest($platforms::text[], $platformUserIds::text[])))
               or (created_at <= $erasedBefore and (person_id = any ($personIds::uuid[]) or conversation_id = any ($privateIds::uuid[]))))
           returning 1`,
    values: {
      tenantId: wanted.tenantId,
      personIds: wanted.personIds,
      ...namesOf(wanted.accounts),
      erasedBefore: wanted.erasedBefore,
      privateIds: wanted.privateIds,
    },
  });
}

/** Deletes people from these conversations. People who have returned since stay known. */
export async function deletePeople(
  tx: TenantTx,
  { tenantId, personIds, erasedBefore, conversationIds }: Named & { conversationIds: readonly string[] },
): Promise<number> {
  return await counted(tx, {
    name: 'agents.erasure.people',
    text: `delete from agents.people where tenant_id = $1 and person_id = any ($2::uuid[]) and last_seen_at <= $3
             and conversation_id = any ($4::uuid[]) returning 1`,
    values: [tenantId, personIds, erasedBefore, conversationIds],
  });
}

export async function deleteChatStates(
  tx: TenantTx,
  {
    tenantId,
    chatKeys,
    erasedBefore,
  }: Pick<Named, 'tenantId' | 'erasedBefore'> & { chatKeys: readonly string[] },
): Promise<number> {
  return await counted(tx, {
    name: 'agents.erasure.chat_states',
    text: `delete from agents.chat_states where tenant_id = $1 and platform_chat_id = any ($2::text[]) and changed_at <= $3 returning 1`,
    values: [tenantId, chatKeys, erasedBefore],
  });
}
