import { alias } from '@botyard/shared/db/drizzle';
import { orNull, text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { messages } from '../../store/schema.ts';

/** Outcomes of older sessions stay: their messages may be archived. */
const decidedAgainDays = 7;

interface RatedReply {
  tenantId: string;
  conversationId: string;
  replyId: string;
}

const reply = alias(messages, 'reply');
const rating = pick(reply, 'rating', 'ratedAt', 'reactions');
const ratedReply = columns({
  ...rating,
  /** The account of the person whom the reply answers; `null` once their message is erased or archived. */
  askerId: orNull(text('asker.id')),
});
export type StoredRating = Omit<RowOf<typeof ratedReply>, 'askerId'>;

const lockText = typedSql`
  select ${ratedReply}
  from agents.messages reply
  left join lateral (
    select question.sender ->> 'platformUserId' as id
    from agents.messages question
    where question.tenant_id = reply.tenant_id
      and question.conversation_id = reply.conversation_id
      and question.direction = 'in'
      and question.seq <= reply.after_seq
      and question.is_addressed
      and question.sender is not null
    order by question.seq desc
    limit 1
  ) asker on true
  where reply.tenant_id = $1
    and reply.conversation_id = $2
    and reply.message_id = $3
    and reply.direction = 'out'
    and reply.agent_id is not null
    and reply.staff_id is null
  for update of reply`;

/** Locks an answer of an agent. */
export const lockRatedReply = preparedStatement({
  name: 'agents.outcomes.lock_rated',
  text: lockText,
  values: ({ tenantId, conversationId, replyId }: RatedReply) => [tenantId, conversationId, replyId],
  result: ([row]) => row,
});

/** Saves a rating. The outcomes of the session are due again. */
export const updateRating = preparedStatement({
  name: 'agents.outcomes.rate',
  text: `with rated as (
           update agents.messages
           set rating = $rating, rated_at = $ratedAt::timestamptz, reactions = $reactions
           where tenant_id = $tenantId and message_id = $replyId
           returning message_id
         )
         update agents.session_outcomes o
         set due_at = now()
         from rated
         join agents.turns t on t.tenant_id = $tenantId and t.reply_id = rated.message_id
         where o.tenant_id = t.tenant_id
           and o.session_id = t.session_id
           and o.agent_id = t.agent_id
           and o.began_at > now() - make_interval(days => ${decidedAgainDays})
         returning 1`,
  values: (rated: RatedReply & StoredRating) => {
    const { tenantId, replyId, rating, ratedAt, reactions } = rated;
    return {
      tenantId,
      replyId,
      rating,
      ratedAt: ratedAt?.toISOString() ?? null,
      reactions: reactions && JSON.stringify(reactions),
    };
  },
});
