import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { orNull, text } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { sessionOutcomes, sessionSweeps } from '../../store/outcomes-schema.ts';
import { conversations, turns } from '../../store/schema.ts';
import { factColumns, factsUntil, useColumns } from './session-facts.ts';

const tenant = columns({ tenantId: sessionOutcomes.tenantId });

/** The tenants that have turns before this identifier whose session is unknown, or outcomes to decide. */
export async function listTenantsToSweep(tx: PlatformTx, beforeTurnId: string): Promise<string[]> {
  const rows = await tx.query({
    name: 'agents.outcomes.tenants',
    text: typedSql`
      select ${tenant}
      from (select distinct tenant_id from agents.bots) bots
      left join agents.session_sweeps sweep using (tenant_id)
      where exists (
          select from agents.turns t
          where t.tenant_id = bots.tenant_id
            and t.turn_id > coalesce(sweep.after_turn_id, '00000000-0000-0000-0000-000000000000')
            and t.turn_id < $beforeTurnId::uuid
        )
        or exists (
          select from agents.session_outcomes o
          where o.tenant_id = bots.tenant_id and o.due_at <= now()
        )`,
    values: { beforeTurnId },
  });
  return rows.map(({ tenantId }) => tenantId);
}

const cursor = columns({ afterTurnId: sessionSweeps.afterTurnId });

/** Locks the tenant's place among its turns. `undefined` while another process has it. */
export async function lockSweep(tx: TenantTx, tenantId: string): Promise<string | undefined> {
  await tx.count({
    name: 'agents.outcomes.begin_sweep',
    text: `insert into agents.session_sweeps (tenant_id, after_turn_id)
           values ($tenantId, '00000000-0000-0000-0000-000000000000')
           on conflict do nothing
           returning 1`,
    values: { tenantId },
  });
  const [row] = await tx.query({
    name: 'agents.outcomes.lock_sweep',
    text: typedSql`
      select ${cursor}
      from agents.session_sweeps
      where tenant_id = $tenantId
      for update skip locked`,
    values: { tenantId },
  });
  return row?.afterTurnId;
}

export const saveSweep = preparedStatement({
  name: 'agents.outcomes.save_sweep',
  text: `update agents.session_sweeps set after_turn_id = $afterTurnId where tenant_id = $tenantId returning 1`,
  values: (tenantId: string, afterTurnId: string) => ({ tenantId, afterTurnId }),
});

const turn = alias(turns, 't');
const conversation = alias(conversations, 'c');
const sweptTurn = columns({
  ...pick(turn, 'turnId', 'sessionId', 'agentId', 'agentVersion', 'conversationId', 'outcome', 'createdAt'),
  ...pick(conversation, 'botId', 'platform'),
  /** The account that wrote first; `null` for none, and after its erasure. */
  account: orNull(text(`first.sender ->> 'platformUserId'`)),
});
export type SweptTurn = RowOf<typeof sweptTurn>;

/**
 * The tenant's next turns, in their order. They stay until the transaction ends, so that an erasure, which deletes
 * turns first, finds the sessions that are made of them.
 */
export const listTurnsToSweep = preparedStatement({
  name: 'agents.outcomes.turns',
  text: typedSql`
    select ${sweptTurn}
    from agents.turns t
    join agents.conversations c on c.tenant_id = t.tenant_id and c.conversation_id = t.conversation_id
    left join agents.messages first on first.tenant_id = t.tenant_id and first.message_id = t.message_ids[1]
    where t.tenant_id = $tenantId
      and t.turn_id > $afterTurnId::uuid
      and t.turn_id < $beforeTurnId::uuid
    order by t.turn_id
    limit $limit
    for key share of t`,
  values: (place: { tenantId: string; afterTurnId: string; beforeTurnId: string; limit: number }) => place,
});

const { sessionId, agentId, agentVersion, conversationId, botId, platform, personId, beganAt } =
  sessionOutcomes;
const sessionRows = unnest('session', {
  sessionId,
  agentId,
  agentVersion,
  conversationId,
  botId,
  platform,
  personId,
  beganAt,
});
export type NewSession = Pick<
  typeof sessionOutcomes.$inferSelect,
  'sessionId' | 'agentId' | 'agentVersion' | 'conversationId' | 'botId' | 'platform' | 'personId' | 'beganAt'
>;

/** Adds sessions whose outcomes are to be decided. One that exists stays as it is. */
export const insertSessions = preparedStatement({
  name: 'agents.outcomes.insert',
  text: `insert into agents.session_outcomes (tenant_id, ${sessionRows.columns}, due_at)
         select $tenantId, ${sessionRows.columns}, now()
         from ${sessionRows}
         on conflict do nothing
         returning 1`,
  values: (tenantId: string, sessions: readonly NewSession[]) => ({
    tenantId,
    ...sessionRows.values(sessions),
  }),
});

const o = alias(sessionOutcomes, 's');
const dueSession = columns({ ...pick(o, 'sessionId', 'agentId', 'beganAt', 'dueAt') });
export type DueSession = RowOf<typeof dueSession>;

/** Sessions whose outcomes are to be decided, the longest due first. */
export const listDueSessions = preparedStatement({
  name: 'agents.outcomes.due',
  text: typedSql`
    select ${dueSession}
    from agents.session_outcomes s
    where s.tenant_id = $tenantId and s.due_at <= now()
    order by s.due_at
    limit $limit`,
  values: (tenantId: string, limit: number) => ({ tenantId, limit }),
});

const factsOfSession = columns({ ...pick(o, 'sessionId', 'agentId'), ...factColumns, ...useColumns });
export type FactsOfSession = RowOf<typeof factsOfSession>;
const sessionKeys = unnest('wanted', { sessionId, agentId });

/** Events of these sessions until they were so many minutes old. */
export const listFacts = preparedStatement({
  name: 'agents.outcomes.facts',
  text: typedSql`
    select ${factsOfSession}
    from ${sessionKeys}
    join agents.session_outcomes s on s.session_id = wanted.session_id and s.agent_id = wanted.agent_id
    ${factsUntil('s.agent_id')}
    where s.tenant_id = $tenantId`,
  values: (
    tenantId: string,
    { sessions, minutes }: { sessions: readonly DueSession[]; minutes: number },
  ) => ({ tenantId, minutes, ...sessionKeys.values(sessions) }),
});

const { handoverReason, turns: turnCount, durationMs, costMicroUsd, isFinal, dueAt } = sessionOutcomes;
const decisions = unnest('decided', {
  sessionId,
  agentId,
  outcomes: 'text',
  handoverReason,
  turns: turnCount,
  durationMs,
  costMicroUsd,
  isFinal,
  dueAt,
  nextDueAt: 'timestamptz',
});
export type Decision = Pick<
  typeof sessionOutcomes.$inferSelect,
  | 'sessionId'
  | 'agentId'
  | 'outcomes'
  | 'handoverReason'
  | 'turns'
  | 'durationMs'
  | 'costMicroUsd'
  | 'isFinal'
  | 'dueAt'
> & { nextDueAt: Date | null };

/** Saves outcomes of sessions that are still due as they were read. A session that was erased stays erased. */
export const saveDecisions = preparedStatement({
  name: 'agents.outcomes.decide',
  text: `update agents.session_outcomes s
         set outcomes = decided.outcomes::text[],
           handover_reason = decided.handover_reason,
           turns = decided.turns,
           duration_ms = decided.duration_ms,
           cost_micro_usd = decided.cost_micro_usd,
           is_final = decided.is_final,
           due_at = decided.next_due_at
         from ${decisions}
         where s.tenant_id = $tenantId
           and s.session_id = decided.session_id
           and s.agent_id = decided.agent_id
           and s.due_at = decided.due_at
         returning 1`,
  values: (tenantId: string, decided: readonly Decision[]) => ({
    tenantId,
    // `unnest` flattens lists, so a list within a row is passed as an array literal.
    ...decisions.values(decided.map((row) => ({ ...row, outcomes: `{${row.outcomes.join(',')}}` }))),
  }),
});
