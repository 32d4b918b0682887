import type { SessionOutcome } from '@botyard/contracts/http/session-outcomes';
import { platformNames } from '@botyard/contracts/platform-names';
import { moment, tenantPolicy } from '@botyard/shared/db/columns';
import { bigint, boolean, index, integer, sql, text, uuid } from '@botyard/shared/db/drizzle';
import { agents, tenantTable } from './schema.ts';

/** How sessions went, one row for each agent that answered in one. */
export const sessionOutcomes = tenantTable(
  'session_outcomes',
  ['sessionId', 'agentId'],
  {
    sessionId: uuid('session_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    /** The version of the agent's first answer; `null` for answers of earlier releases. */
    agentVersion: integer('agent_version'),
    conversationId: uuid('conversation_id').notNull(),
    botId: uuid('bot_id').notNull(),
    platform: text({ enum: platformNames }).notNull(),
    /** The person who wrote first; `null` if the platform names none. */
    personId: uuid('person_id'),
    /** The time of the agent's first answer. */
    beganAt: moment('began_at').notNull(),
    /** Empty until they are decided for the first time. */
    outcomes: text().array().$type<SessionOutcome[]>().notNull().default(sql`'{}'`),
    /** The agent's reason for requesting a person. */
    handoverReason: text('handover_reason'),
    /** Turns that the agent answered, and the time that they took. */
    turns: integer().notNull().default(0),
    durationMs: bigint('duration_ms', { mode: 'number' }).notNull().default(0),
    /** `null` if nothing that was used has a price. */
    costMicroUsd: bigint('cost_micro_usd', { mode: 'number' }),
    /** `false` while outcomes that need a day are not decided. */
    isFinal: boolean('is_final').notNull().default(false),
    /** The time from which they are decided (again); `null` once they are final. */
    dueAt: moment('due_at'),
  },
  (table) => [
    index('session_outcomes_due').on(table.tenantId, table.dueAt).where(sql`due_at is not null`),
    index('session_outcomes_by_time').on(table.tenantId, table.beganAt),
    index('session_outcomes_by_conversation').on(table.tenantId, table.conversationId, table.beganAt),
    index('session_outcomes_by_version').on(table.tenantId, table.agentId, table.agentVersion),
    index('session_outcomes_by_person').on(table.tenantId, table.personId),
  ],
);

/** The last turn of a tenant whose session has a row in `session_outcomes`. */
export const sessionSweeps = agents.table(
  'session_sweeps',
  { tenantId: uuid('tenant_id').primaryKey(), afterTurnId: uuid('after_turn_id').notNull() },
  () => [tenantPolicy()],
);

/**
 * People whom a bot asks if an answer helped. A row waits to be asked. Once it has an `askedAt`, it keeps its person
 * from being asked again for a week.
 */
export const ratingQuestions = tenantTable(
  'rating_questions',
  ['personId'],
  {
    personId: uuid('person_id').notNull(),
    botId: uuid('bot_id').notNull(),
    chatId: uuid('chat_id').notNull(),
    /** The answer that is asked about. */
    replyId: uuid('reply_id').notNull(),
    askedAt: moment('asked_at'),
    /** The time to ask; of a row with `askedAt`, the time to delete it. */
    readyAt: moment('ready_at').notNull(),
    leaseUntil: moment('lease_until'),
  },
  (table) => [
    index('rating_questions_ready').on(table.tenantId, table.readyAt).where(sql`ready_at is not null`),
    /** For the look every second if one is due, in any tenant. */
    index('rating_questions_due').on(table.readyAt),
  ],
);
