import type { Account } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { namesOf } from './people.ts';

/** The people whose collected data, and whose actions by bots, are deleted. */
interface CollectedFrom {
  tenantId: string;
  personIds: readonly string[];
  accounts: readonly Account[];
  /** Email addresses, in lower case. */
  addresses: readonly string[];
  privateIds: readonly string[];
  groupIds: readonly string[];
  erasedBefore: Date;
}

/**
 * Deletes up to `limit` records of apps: those that these people gave, those made in their private chats, and those
 * that have one of their addresses as a field's value, by any author. Account numbers are not searched for in fields,
 * because any number could be one. Returns how many were removed.
 */
export async function deleteRecords(tx: TenantTx, wanted: CollectedFrom, limit: number): Promise<number> {
  const { tenantId, personIds, privateIds, addresses, erasedBefore } = wanted;
  return await tx.count({
    name: 'agents.erasure.records',
    text: `delete from agents.app_records where (tenant_id, record_id) in (
             select r.tenant_id, r.record_id from agents.app_records r where r.tenant_id = $tenantId and r.created_at <= $erasedBefore and (
               r.person_id = any ($personIds::uuid[])
               or (r.source = 'bot' and r.chat_id in (select c.chat_id from agents.conversations c
                 where c.tenant_id = $tenantId and c.conversation_id = any ($privateIds::uuid[])))
               or (cardinality($addresses::text[]) > 0 and exists (
                 select from jsonb_each_text(r.fields) as field where lower(trim(field.value)) = any ($addresses::text[]))))
             limit $limit)
           returning 1`,
    values: { tenantId, personIds, privateIds, addresses, erasedBefore, limit },
  });
}

/**
 * Deletes up to `limit` calls of external tools that were made or are pending, in their private chats or for them in
 * groups. A running call finishes, but none of its data is stored. Returns how many were removed.
 */
export async function deleteCalls(
  tx: TenantTx,
  table: 'tool_tickets' | 'tool_executions',
  { tenantId, personIds, accounts, privateIds, erasedBefore }: CollectedFrom,
  limit: number,
): Promise<number> {
  const [key, madeAt] =
    table === 'tool_tickets' ? ['ticket_id', 'created_at'] : ['execution_id', 'started_at'];
  return await tx.count({
    name: `agents.erasure.${table}`,
    text: `delete from agents.${table} where (tenant_id, ${key}) in (
             select t.tenant_id, t.${key} from agents.${table} t where t.tenant_id = $tenantId and t.${madeAt} <= $erasedBefore and (
               t.conversation_id = any ($privateIds::uuid[])
               or exists (select from jsonb_array_elements(t.requesters) as who
                 where who ->> 'userId' = any ($personIds::text[])
                   or (who ->> 'platform', who ->> 'platformUserId') in (select * from unnest($platforms::text[], $platformUserIds::text[]))))
             limit $limit)
           returning 1`,
    values: { tenantId, personIds, ...namesOf(accounts), privateIds, erasedBefore, limit },
  });
}

/**
 * Deletes up to `limit` test cases that were made of messages of these people, or of messages in their private chats,
 * from before the erasure. When the case itself was made doesn't matter. Returns how many were removed.
 */
export async function deleteCases(tx: TenantTx, wanted: CollectedFrom, limit: number): Promise<number> {
  const { tenantId, personIds, privateIds, erasedBefore } = wanted;
  return await tx.count({
    name: 'agents.erasure.cases',
    text: `delete from agents.evaluation_cases where (tenant_id, case_id) in (
             select tenant_id, case_id from agents.evaluation_cases
             where tenant_id = $tenantId
               and sources_since <= $erasedBefore
               and (person_ids && $personIds::uuid[] or conversation_ids && $privateIds::uuid[])
             limit $limit)
           returning 1`,
    values: { tenantId, personIds, privateIds, erasedBefore, limit },
  });
}

/** Deletes up to `limit` sessions of releases that these people began. Returns how many were removed. */
export async function deleteReleaseSessions(
  tx: TenantTx,
  { tenantId, personIds, privateIds, erasedBefore }: CollectedFrom,
  limit: number,
): Promise<number> {
  return await tx.count({
    name: 'agents.erasure.release_sessions',
    text: `delete from agents.release_sessions where (tenant_id, release_id, session_id) in (
             select tenant_id, release_id, session_id from agents.release_sessions
             where tenant_id = $tenantId
               and began_at <= $erasedBefore
               and (person_id = any ($personIds::uuid[]) or conversation_id = any ($privateIds::uuid[]))
             limit $limit)
           returning 1`,
    values: { tenantId, personIds, privateIds, erasedBefore, limit },
  });
}

/**
 * Deletes up to `limit` outcomes of sessions that these people began, or of their private chats. In their groups, those
 * with a reason for a hand-over also go: it may be about them. Returns how many were removed.
 */
export async function deleteOutcomes(
  tx: TenantTx,
  { tenantId, personIds, privateIds, groupIds, erasedBefore }: CollectedFrom,
  limit: number,
): Promise<number> {
  return await tx.count({
    name: 'agents.erasure.session_outcomes',
    text: `delete from agents.session_outcomes where (tenant_id, session_id, agent_id) in (
             select tenant_id, session_id, agent_id from agents.session_outcomes
             where tenant_id = $tenantId
               and began_at <= $erasedBefore
               and (person_id = any ($personIds::uuid[])
                 or conversation_id = any ($privateIds::uuid[])
                 or handover_reason is not null and conversation_id = any ($groupIds::uuid[]))
             limit $limit)
           returning 1`,
    values: { tenantId, personIds, privateIds, groupIds, erasedBefore, limit },
  });
}

/** Forgets whom of these people a bot asks if an answer helped, and whom it asked. */
export const deleteRatingQuestions = preparedStatement({
  name: 'agents.erasure.rating_questions',
  text: `delete from agents.rating_questions
         where tenant_id = $tenantId and person_id = any ($personIds::uuid[]) returning 1`,
  values: ({ tenantId, personIds }: CollectedFrom) => ({ tenantId, personIds }),
  result: (rows) => rows.length,
});
