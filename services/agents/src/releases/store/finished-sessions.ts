import { alias } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { factColumns, factsUntil } from '../../outcomes/store/session-facts.ts';
import { releaseSessions } from '../../store/releases-schema.ts';
import type { ReleaseRow } from './releases.ts';

const s = alias(releaseSessions, 's');
const finished = columns({
  ...pick(s, 'sessionId', 'beganAt', 'isCandidate'),
  ...factColumns,
});
export type FinishedSessionRow = RowOf<typeof finished>;

/**
 * The sessions of a release that are old enough, after a place in the order in which they began, with what happened in
 * each until that age. A person counts once.
 */
const finishedText = typedSql`
  select ${finished}
  from agents.release_sessions s
  ${factsUntil('$agentId')}
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
interface SessionPlace {
  beganAt: string;
  sessionId: string;
}

const beginning: SessionPlace = {
  beganAt: '1970-01-01T00:00:00Z',
  sessionId: '00000000-0000-0000-0000-000000000000',
};

export const listFinishedSessions = preparedStatement({
  name: 'agents.releases.finished_sessions',
  text: finishedText,
  values: (
    { tenantId, releaseId, agentId }: Pick<ReleaseRow, 'tenantId' | 'releaseId' | 'agentId'>,
    { after, minutes, limit }: { after: SessionPlace | null; minutes: number; limit: number },
  ) => {
    const { beganAt: afterBegan, sessionId: afterId } = after ?? beginning;
    return { tenantId, releaseId, agentId, afterBegan, afterId, minutes, limit };
  },
});
