import type { TenantTx } from '@botyard/shared/db/database';
import { alias, isNull } from '@botyard/shared/db/drizzle';
import { number, orNull } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { webchatSessions, webchatVisitors } from '../../../store/webchat-schema.ts';

const v = alias(webchatVisitors, 'v');
const visitor = columns({
  ...pick(v, 'tenantId', 'visitorId', 'botId', 'conversationId', 'name', 'language', 'lastSeq', 'readTo'),
  userId: orNull(v.userId),
});
/** A visitor, as its session finds it. */
export type Visitor = RowOf<typeof visitor>;

type NewVisitor = Pick<
  typeof webchatVisitors.$inferInsert,
  'tenantId' | 'visitorId' | 'botId' | 'integrationId' | 'conversationId' | 'userId' | 'name' | 'language'
>;

/** Returns `false` when there is a visitor with this id, or this verified one. */
export const insertVisitor = preparedStatement({
  name: 'webhooks.webchat.visitor.insert',
  text: `insert into webhooks.webchat_visitors
           (tenant_id, visitor_id, bot_id, integration_id, conversation_id, user_id, name, language)
         values ($tenantId, $visitorId, $botId, $integrationId, $conversationId, $userId, $name, $language)
         on conflict do nothing
         returning 1`,
  values: (one: NewVisitor) => ({ ...one, userId: one.userId ?? null, language: one.language ?? null }),
  result: (rows) => rows.length > 0,
});

const stored = rowsOf(webchatVisitors, 'tenantId', 'visitorId');

export const findVerified = (
  tx: TenantTx,
  verified: { tenantId: string; botId: string; userId: string },
): Promise<Visitor | undefined> => stored.first(tx, verified);

/** A visitor without a verified identity. */
export const findBegun = (
  tx: TenantTx,
  begun: { tenantId: string; visitorId: string; botId: string },
): Promise<Visitor | undefined> => stored.first(tx, begun, isNull(webchatVisitors.userId));

export const findVisitor = stored.get;

const sessionText = typedSql`select ${visitor}
  from webhooks.webchat_sessions s
  join webhooks.webchat_visitors v on v.tenant_id = s.tenant_id and v.visitor_id = s.visitor_id
  where s.tenant_id = $1 and s.token_hash = $2 and s.expires_at > now() and v.bot_id = $3`;

/** The visitor of a session that has not ended. */
export const findBySession = preparedStatement({
  name: 'webhooks.webchat.session.find',
  text: sessionText,
  values: ({ tenantId, tokenHash, botId }: { tenantId: string; tokenHash: string; botId: string }) => [
    tenantId,
    tokenHash,
    botId,
  ],
  result: ([row]) => row,
});

export async function insertSession(
  tx: TenantTx,
  session: Pick<typeof webchatSessions.$inferSelect, 'tenantId' | 'tokenHash' | 'visitorId' | 'expiresAt'>,
): Promise<void> {
  await tx.db.insert(webchatSessions).values(session);
}

export const deleteSession = rowsOf(webchatSessions, 'tenantId', 'tokenHash').remove;

/** Ends all sessions of a visitor except the newest ones. */
export const deleteOlderSessions = preparedStatement({
  name: 'webhooks.webchat.sessions.delete_older',
  text: `delete from webhooks.webchat_sessions
         where tenant_id = $1 and token_hash in (
           select token_hash from webhooks.webchat_sessions
           where tenant_id = $1 and visitor_id = $2
           order by created_at desc, token_hash
           offset $3
         )`,
  values: ({ tenantId, visitorId, keep }: { tenantId: string; visitorId: string; keep: number }) => [
    tenantId,
    visitorId,
    keep,
  ],
});

/** Notes that the visitor was here. */
export const noteVisit = preparedStatement({
  name: 'webhooks.webchat.visitor.note',
  text: `update webhooks.webchat_visitors
         set last_seen_at = now()
         where tenant_id = $1 and visitor_id = $2`,
  values: ({ tenantId, visitorId }: { tenantId: string; visitorId: string }) => [tenantId, visitorId],
});

/** Notes that the visitor has seen everything up to a number, which may be beyond what there is. */
export const noteReadTo = preparedStatement({
  name: 'webhooks.webchat.visitor.read',
  text: `update webhooks.webchat_visitors
         set read_to = least(greatest(read_to, $3), last_seq)
         where tenant_id = $1 and visitor_id = $2`,
  values: ({ tenantId, visitorId, readTo }: { tenantId: string; visitorId: string; readTo: number }) => [
    tenantId,
    visitorId,
    readTo,
  ],
});

const begunText = typedSql`select ${columns({ begun: number('count(*)') })} from (
    select from webhooks.webchat_visitors
    where tenant_id = $1 and integration_id = $2 and created_at > now() - interval '1 minute' limit $3) recent`;

/** The visitors of an integration who began in the last minute, counted up to `most`. */
export const countBegun = preparedStatement({
  name: 'webhooks.webchat.visitors.begun',
  text: begunText,
  values: ({ tenantId, integrationId, most }: { tenantId: string; integrationId: string; most: number }) => [
    tenantId,
    integrationId,
    most,
  ],
  result: ([row]) => row!.begun,
});
