import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { alias, and, eq, getTableColumns } from '@botyard/shared/db/drizzle';
import { orNull, text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import type { ReleaseKey } from '../../releases/store/releases.ts';
import { shadowAnswers } from '../../store/releases-schema.ts';
import { turns } from '../../store/schema.ts';

export type ShadowRow = typeof shadowAnswers.$inferSelect;
type ShadowKey = Pick<ShadowRow, 'tenantId' | 'releaseId' | 'turnId'>;

const stored = rowsOf(shadowAnswers, 'tenantId', 'releaseId', 'turnId');
export const { remove: removeShadow } = stored;

/** Writes to a row of this worker; without effect if another one has it, or it was erased. */
export async function updateShadow(
  tx: TenantTx,
  { fence, ...key }: ShadowKey & Pick<ShadowRow, 'fence'>,
  change: Partial<Pick<ShadowRow, 'verdict' | 'differences' | 'text' | 'calls' | 'readyAt' | 'leaseUntil'>>,
): Promise<void> {
  await tx.db
    .update(shadowAnswers)
    .set(change)
    .where(and(stored.matches(key), eq(shadowAnswers.fence, fence)));
}

export const shadowQueue: QueueTable<ShadowRow> = {
  table: 'agents.shadow_answers',
  key: ['tenantId', 'releaseId', 'turnId'],
  columns: columns(getTableColumns(alias(shadowAnswers, 'q'))),
  leaseSeconds: 30,
  fence: 'fence',
  set: 'attempts = q.attempts + 1',
};

const questionOf = `(
  select string_agg(said.text, e'\\n' order by said.seq)
  from agents.messages said
  where said.tenant_id = t.tenant_id and said.message_id = any (t.message_ids) and said.direction = 'in'
)`;

const t = alias(turns, 't');
const askedTurn = columns({
  ...pick(t, 'turnId', 'outcome'),
  question: orNull(text(questionOf)),
  answer: orNull(text('reply.text')),
});
export type AskedTurn = RowOf<typeof askedTurn>;

/** A turn and the earlier ones of its session, newest first. */
export const listTurnsOfSession = preparedStatement({
  name: 'agents.shadows.turns_of_session',
  text: typedSql`
    select ${askedTurn}
    from agents.turns shadowed
    join agents.turns t
      on t.tenant_id = shadowed.tenant_id
      and t.conversation_id = shadowed.conversation_id
      and t.turn_id <= shadowed.turn_id
      and (t.turn_id = shadowed.turn_id or t.session_id = shadowed.session_id)
    left join agents.messages reply on reply.tenant_id = t.tenant_id and reply.message_id = t.reply_id
    where shadowed.tenant_id = $tenantId and shadowed.turn_id = $turnId
    order by t.turn_id desc
    limit $limit`,
  values: ({ tenantId, turnId }: Pick<ShadowKey, 'tenantId' | 'turnId'>, limit: number) => ({
    tenantId,
    turnId,
    limit,
  }),
});

const s = alias(shadowAnswers, 's');
const listed = columns({
  ...pick(s, 'turnId', 'verdict', 'differences', 'text', 'calls', 'createdAt'),
  ...pick(t, 'conversationId'),
  question: orNull(text(questionOf)),
  liveText: orNull(text('reply.text')),
});
export type ListedShadow = RowOf<typeof listed>;

/** The answers of a release's candidate, newest first, one more than the page's limit. */
export const listShadows = preparedStatement({
  name: 'agents.shadows.list',
  text: typedSql`
    select ${listed}
    from agents.shadow_answers s
    join agents.turns t on t.tenant_id = s.tenant_id and t.turn_id = s.turn_id
    left join agents.messages reply on reply.tenant_id = t.tenant_id and reply.message_id = t.reply_id
    where s.tenant_id = $tenantId
      and s.release_id = $releaseId
      and s.verdict is not null
      and ($before::uuid is null or s.turn_id < $before::uuid)
    order by s.turn_id desc
    limit $limit`,
  values: ({ tenantId, releaseId }: ReleaseKey, { limit, before }: PageRequest) => ({
    tenantId,
    releaseId,
    before: before ?? null,
    limit: limit + 1,
  }),
});
