import { boolean, number, orNull, text, texts } from '@botyard/shared/db/expressions';
import { columns } from '@botyard/shared/db/typed-sql';

/** Events of a session, for a statement that contains `factsUntil`. */
export const factColumns = {
  isFailed: boolean('ended.is_failed'),
  isHandedOver: boolean('ended.handover is not null'),
  isStopped: boolean('said.is_stopped'),
  isRepeated: boolean('said.is_repeated'),
  isGivenUp: boolean("ended.last_outcome = 'apologized'"),
  isAnsweredLast: boolean("ended.last_outcome = 'answered'"),
  isRatedUp: boolean('ended.is_rated_up'),
  isRatedDown: boolean('ended.is_rated_down'),
};

export const factRow = columns(factColumns);

/** Use by the answers in a session. */
export const useColumns = {
  /** The arguments of the call by which the agent first requested a person, as JSON. */
  handover: orNull(text('ended.handover')),
  turnIds: texts('ended.turn_ids'),
  durationMs: number('ended.duration_ms'),
};

/**
 * Joins each session `s` with what happened in it until it was `$minutes` old. The agent is an expression: only its
 * answers count.
 */
export const factsUntil = (agentId: string): string => `cross join lateral (
    select coalesce(bool_or(t.outcome = 'apologized'), false) as is_failed,
      (array_agg(call.arguments order by t.turn_id) filter (where call.arguments is not null))[1] as handover,
      coalesce((array_agg(t.outcome order by t.turn_id desc))[1], '') as last_outcome,
      coalesce(array_agg(t.turn_id), '{}') as turn_ids,
      coalesce(sum(t.duration_ms), 0) as duration_ms,
      coalesce(bool_or(reply.rating = 'up'), false) as is_rated_up,
      coalesce(bool_or(reply.rating = 'down'), false) as is_rated_down
    from agents.turns t
    left join agents.messages reply on reply.tenant_id = t.tenant_id and reply.message_id = t.reply_id
    left join lateral (
      select coalesce(call ->> 'arguments', '') as arguments
      from jsonb_array_elements(t.tool_calls) as call
      join agents.tool_definitions d on d.tenant_id = t.tenant_id and d.id::text = call ->> 'toolId'
      where d.kind = 'hand_over' and call ->> 'outcome' = 'ok'
      limit 1
    ) call on true
    where t.tenant_id = s.tenant_id
      and t.conversation_id = s.conversation_id
      and t.session_id = s.session_id
      and t.agent_id = ${agentId}
      and t.outcome <> 'command'
      and t.created_at <= s.began_at + make_interval(mins => $minutes)
  ) ended
  cross join lateral (
    select coalesce(bool_or(m.command ->> 'name' = 'stop'), false) as is_stopped,
      count(m.text) filter (where m.command is null and m.text <> '')
        > count(distinct lower(btrim(m.text))) filter (where m.command is null and m.text <> '') as is_repeated
    from agents.turns t
    join agents.messages m on m.tenant_id = t.tenant_id and m.message_id = any (t.message_ids)
    where t.tenant_id = s.tenant_id
      and t.conversation_id = s.conversation_id
      and t.session_id = s.session_id
      and m.direction = 'in'
      and m.seq > 0
      and t.created_at <= s.began_at + make_interval(mins => $minutes)
  ) said`;
