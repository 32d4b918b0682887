import { type Database, withPlatform } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { webchatMessages, webchatVisitors } from '../../../store/webchat-schema.ts';

const v = alias(webchatVisitors, 'v');
const missing = columns(pick(v, 'tenantId', 'visitorId', 'botId', 'language', 'lastSeq'));
/** A visitor with answers that no window has got. */
export type Missing = RowOf<typeof missing>;

const dueText = typedSql`select ${missing} from (
    select *, row_number() over (partition by tenant_id order by missed_at) as place
    from webhooks.webchat_visitors
    where missed_at < now() - make_interval(secs => $1)
  ) v
  where v.place <= $2
  order by v.place, v.missed_at
  limit $3`;

/** Those whose answers have waited for long enough; of each tenant the oldest ones. */
export async function listMissing(
  database: Database,
  { forMs, ofTenant, limit }: { forMs: number; ofTenant: number; limit: number },
): Promise<Missing[]> {
  return await withPlatform(database, 'answers that visitors have missed', (tx) =>
    tx.query({ name: 'webhooks.webchat.missing', text: dueText, values: [forMs / 1000, ofTenant, limit] }),
  );
}

const m = alias(webchatMessages, 'm');
const answer = columns(pick(m, 'author', 'text', 'choices', 'file'));
const answersText = typedSql`select ${answer} from webhooks.webchat_messages m
  join webhooks.webchat_visitors v on v.tenant_id = m.tenant_id and v.visitor_id = m.visitor_id
  where m.tenant_id = $1 and m.visitor_id = $2 and m.seq <= $3
    and m.created_at >= v.missed_at and m.author in ('bot', 'staff') and m.deleted_at is null
  order by m.position desc
  limit $4`;

/** The newest answers that were missed, the newest one first. */
export const listMissedAnswers = preparedStatement({
  name: 'webhooks.webchat.missed_answers',
  text: answersText,
  values: ({ tenantId, visitorId, lastSeq }: Missing, limit: number) => [tenantId, visitorId, lastSeq, limit],
});

/** Returns `false` when something has happened in the chat since. */
export const claimMissed = preparedStatement({
  name: 'webhooks.webchat.claim_missed',
  text: `update webhooks.webchat_visitors
         set missed_at = null
         where tenant_id = $1 and visitor_id = $2 and last_seq = $3 and missed_at is not null
         returning 1`,
  values: ({ tenantId, visitorId, lastSeq }: Pick<Missing, 'tenantId' | 'visitorId' | 'lastSeq'>) => [
    tenantId,
    visitorId,
    lastSeq,
  ],
  result: (rows) => rows.length > 0,
});

/** Notes that windows have got everything up to these numbers. */
export async function noteShown(
  database: Database,
  shown: readonly { visitorId: string; after: number }[],
): Promise<void> {
  await withPlatform(database, 'open streams of web chats', (tx) =>
    tx.query({
      name: 'webhooks.webchat.note_shown',
      text: `update webhooks.webchat_visitors v
             set missed_at = null
             from unnest($1::uuid[], $2::bigint[]) as u (visitor_id, after)
             where v.visitor_id = u.visitor_id and v.missed_at is not null and v.last_seq <= u.after`,
      values: [shown.map(({ visitorId }) => visitorId), shown.map(({ after }) => after)],
    }),
  );
}
