import type { PlatformName } from '@botyard/contracts/http/platform';
import type { Account } from '@botyard/shared/auth/person-id';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import type { IdSpan } from '@botyard/shared/db/erase-bus-rows';
import { countOf, number } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { endpoints } from '../../store/schema.ts';

/** Bots that the tenant has or had. The identifiers of a person's private conversations are derived from them. */
export const listBotIds = preparedStatement({
  name: 'webhooks.erasure.bots',
  text: typedSql`select ${columns({ botId: endpoints.botId })} from webhooks.endpoints where tenant_id = $1
         union select bot_id from webhooks.chats where tenant_id = $1`,
  values: (tenantId: string) => [tenantId],
  result: (rows) => rows.map((row) => row.botId),
});

export interface PrivateTransport {
  tenantId: string;
  conversationIds: readonly string[];
  accounts: readonly Account[];
  /** The person's accounts and private chats, by the identifiers that events have. */
  named: readonly { platform: PlatformName; id: string }[];
  /** Keys of their private chats. */
  chatKeys: readonly string[];
  erasedBefore: Date;
}

/** Whether a part is being sent to one of these places. */
export const isSending = preparedStatement({
  name: 'webhooks.erasure.sending',
  text: `select from webhooks.chats where tenant_id = $1 and platform_chat_id = any ($2::text[]) and lease_until is not null limit 1`,
  values: (transport: PrivateTransport) => [transport.tenantId, transport.chatKeys],
  result: (rows) => rows.length > 0,
});

/** Deletes up to `limit` replies to private chats with their parts, sent or not. Returns the number of replies. */
export const deleteReplies = preparedStatement({
  name: 'webhooks.erasure.replies',
  text: `with gone as (
           delete from webhooks.replies where (tenant_id, reply_id) in (select tenant_id, reply_id from webhooks.replies
             where tenant_id = $1 and conversation_id = any ($2::uuid[]) and coalesce(asked_at, created_at) <= $3 limit $4)
           returning reply_id),
         parts as (delete from webhooks.parts where tenant_id = $1 and reply_id in (select reply_id from gone))
         select from gone`,
  values: ({ tenantId, conversationIds, erasedBefore }: PrivateTransport, limit: number) => [
    tenantId,
    conversationIds,
    erasedBefore,
    limit,
  ],
  result: (rows) => rows.length,
});

/** Deletes the chats themselves if they have no pending parts, and the record of their former names. */
export async function deleteChats(
  tx: TenantTx,
  transport: PrivateTransport,
): Promise<{ chats: number; moves: number }> {
  const moves = await tx.count({
    name: 'webhooks.erasure.chat_moves',
    text: `delete from webhooks.chat_moves where tenant_id = $1 and created_at <= $3
             and (from_chat_id = any ($2::text[]) or to_chat_id = any ($2::text[])) returning 1`,
    values: [transport.tenantId, transport.chatKeys, transport.erasedBefore],
  });
  const chats = await tx.count({
    name: 'webhooks.erasure.chats',
    text: `delete from webhooks.chats c where tenant_id = $1 and platform_chat_id = any ($2::text[])
             and lease_until is null and not exists (select from webhooks.parts p
               where p.tenant_id = c.tenant_id and p.bot_id = c.bot_id and p.platform_chat_id = c.platform_chat_id
                 and p.state in ('queued', 'sending')) returning 1`,
    values: [transport.tenantId, transport.chatKeys],
  });
  return { chats, moves };
}

const emptiedReplies = columns({
  emptied: countOf('from settled'),
  waiting: countOf(`from webhooks.replies
    where tenant_id = $1 and conversation_id = any ($2::uuid[]) and state in ('waiting', 'queued')`),
});

/** Empties the texts of sent or given-up replies in groups: the agents service keeps the authoritative copy. */
export async function emptyReplies(tx: TenantTx, tenantId: string, conversationIds: readonly string[]) {
  return await tx.one({
    name: 'webhooks.erasure.empty',
    text: typedSql`with settled as (
             update webhooks.replies set text = '', choices = null where tenant_id = $1 and conversation_id = any ($2::uuid[])
               and state in ('sent', 'failed') and (text <> '' or reply_id in (select reply_id from webhooks.parts where html <> '' and tenant_id = $1
                 and reply_id in (select reply_id from webhooks.replies where tenant_id = $1 and conversation_id = any ($2::uuid[]))))
             returning reply_id),
           parts as (
             update webhooks.parts set payload = null, html = '', plain = '' where tenant_id = $1 and reply_id in (select reply_id from settled))
           select ${emptiedReplies}`,
    values: [tenantId, conversationIds],
  });
}

const erasedEvents = columns({
  erased: number('(select count(*) from removed) + (select count(*) from emptied)'),
  unpublished: countOf('from named where is_theirs and not is_published'),
});

const isNamed = (platformUserId: string) =>
  `(o.data::jsonb ->> 'platform', ${platformUserId}) in (select * from unnest($platforms::text[], $ids::text[]))`;

/**
 * Removes published events with a person's words or location, and their quotes in other people's events. Other events
 * are only counted.
 */
export async function eraseOutbox(
  tx: PlatformTx,
  { tenantId, named, conversationIds, erasedBefore }: PrivateTransport,
  span: IdSpan,
): Promise<{ erased: number; unpublished: number }> {
  const eventTime = `coalesce(o.data::jsonb ->> 'receivedAt', o.data::jsonb ->> 'changedAt')::timestamptz`;
  return await tx.one({
    name: 'webhooks.erasure.outbox',
    text: typedSql`with named as (
             select id, published_at is not null as is_published,
               ${isNamed(`data::jsonb #>> '{quote,author,platformUserId}'`)} as quotes_them,
               ${isNamed(`data::jsonb #>> '{sender,platformUserId}'`)}
               or ${isNamed(`data::jsonb #>> '{chat,platformChatId}'`)}
               or ${isNamed(`data::jsonb ->> 'platformChatId'`)}
               or ${isNamed(`data::jsonb ->> 'from'`)}
               or ${isNamed(`data::jsonb ->> 'to'`)}
               or split_part(subject, '.', -1) = any ($conversationIds::text[]) as is_theirs
             from webhooks.outbox o where o.id > $after and o.id <= $until and o.subject like '%.' || $tenantId || '.%'
               and (split_part(subject, '.', -1) = any ($conversationIds::text[])
                 or exists (select from unnest($quotedIds::text[]) as w where position(w in o.data) > 0))
               and coalesce(${eventTime} <= $erasedBefore, true)),
           removed as (delete from webhooks.outbox where id in (select id from named where is_theirs and is_published) returning 1),
           emptied as (
             update webhooks.outbox set data = (data::jsonb - 'quote')::text
             where id in (select id from named where quotes_them and is_theirs is not true) returning 1)
           select ${erasedEvents}`,
    values: {
      tenantId,
      platforms: named.map(({ platform }) => platform),
      ids: named.map(({ id }) => id),
      conversationIds,
      erasedBefore,
      after: span.after,
      until: span.until,
      quotedIds: named.map(({ id }) => JSON.stringify(id)),
    },
  });
}
