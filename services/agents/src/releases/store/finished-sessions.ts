import type { TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { boolean } from '@botyard/shared/db/expressions';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { releaseSessions } from '../../store/releases-schema.ts';
import type { ReleaseRow } from './releases.ts';

const s = alias(releaseSessions, 's');
const finished = columns({
  ...pick(s, 'sessionId', 'beganAt', 'isCandidate'),
  isFailed: boolean('ended.is_failed'),
  isHandedOver: boolean('ended.is_handed_over'),
  isStopped: boolean('said.is_stopped'),
  isRepeated: boolean('said.is_repeated'),
  isGivenUp: boolean("ended.last_outcome = 'apologized'"),
  isAnsweredLast: boolean("ended.last_outcome = 'answered'"),
});
export type FinishedSessionRow = RowOf<typeof finished>;

/**
 * The sessions of a release that are old enough, after a place in the order in which they began, with what happened in
 * each until that age. A person counts once.
 */
const finishedText = typedSql`
  select ${finished}
  from agents.release_sessions s
  cross join lateral (
    select coalesce(bool_or(t.outcome = 'apologized'), false) as is_failed,
      coalesce(bool_or(exists (
        select from jsonb_array_elements(t.tool_calls) as call
        join agents.tool_definitions d on d.tenant_id = t.tenant_id and d.id::text = call ->> 'toolId'
        where d.kind = 'hand_over' and call ->> 'outcome' = 'ok'
      )), false) as is_handed_over,
      coalesce((array_agg(t.outcome order by t.turn_id desc))[1], '') as last_outcome
    from agents.turns t
    where t.tenant_id = s.tenant_id
      and t.conversation_id = s.conversation_id
      and t.session_id = s.session_id
      and t.agent_id = $agentId
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
  ) said
  where s.tenant_id = $tenantId
    and s.release_id = $releaseId
    and (s.began_at, s.session_id) > ($afterBegan::timestamptz, $afterId::uuid)
    and s.began_at <= now() - make_interval(mins => $minutes)
    and not exists (
      select from agents.release_sessions earlier
      where earlier.tenant_id = s.tenant_id
        and earlier.release_id = s.release_id
        and earlier.person_id = s.person_id
        and (earlier.began_at, earlier.session_id) < (s.began_at, s.session_id)
    )
  order by s.began_at, s.session_id
  limit $limit`;

/** A place in the order in which sessions began. */
export interface SessionPlace {
  beganAt: string;
  sessionId: string;
}

const beginning: SessionPlace = {
  beganAt: '1970-01-01T00:00:00Z',
  sessionId: '00000000-0000-0000-0000-000000000000',
};

export async function listFinishedSessions(
  tx: TenantTx,
  { tenantId, releaseId, agentId }: Pick<ReleaseRow, 'tenantId' | 'releaseId' | 'agentId'>,
  { after, minutes, limit }: { after: SessionPlace | null; minutes: number; limit: number },
): Promise<FinishedSessionRow[]> {
  const { beganAt: afterBegan, sessionId: afterId } = after ?? beginning;
  return await tx.query({
    name: 'agents.releases.finished_sessions',
    text: finishedText,
    values: { tenantId, releaseId, agentId, afterBegan, afterId, minutes, limit },
  });
}
