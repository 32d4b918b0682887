import { busTables, moment, tenantPolicy, tenantTables } from '@botyard/shared/db/columns';
import { deletedTenantsTable } from '@botyard/shared/db/deleted-tenants';
import {
  bigint,
  boolean,
  date,
  index,
  integer,
  pgSchema,
  smallint,
  sql,
  text,
  unique,
  uuid,
} from '@botyard/shared/db/drizzle';

export const usage = pgSchema('usage');
const tenantTable = tenantTables(usage);
export const { outbox, inbox, consumerFailures, deadLetters, streams } = busTables(usage);
export const deletedTenants = deletedTenantsTable(usage);

const counter = (name: string) => bigint(name, { mode: 'number' });
const tenantId = () => uuid('tenant_id').notNull();
/** The public providers share one allowance; the private LLM has its own. */
const allowanceKind = () => text({ enum: ['public', 'private'] });
const limitNames = ['messages', 'inputTokens', 'outputTokens', 'costMicroUsd'] as const;

/** The columns that use is grouped by. */
const kindOfUse = () => ({
  /** `noBotId` for use outside any chat. */
  botId: uuid('bot_id').notNull(),
  agentId: uuid('agent_id'),
  provider: text(),
  model: text(),
  keySource: text('key_source', { enum: ['agent', 'bot', 'tenant', 'platform', 'none'] }).notNull(),
});

const amounts = () => ({
  messages: counter('messages').notNull(),
  inputTokens: counter('input_tokens').notNull(),
  outputTokens: counter('output_tokens').notNull(),
  toolCalls: counter('tool_calls').notNull(),
  /** The cost of the priced part; null when no part has a price, because unknown is not free. */
  costMicroUsd: counter('cost_micro_usd'),
  /** Turns that the cost doesn't include, because their model had no price. */
  unpricedTurns: counter('unpriced_turns').notNull().default(0),
});

export const counters = usage.table(
  'counters',
  {
    tenantId: tenantId(),
    /** In UTC. */
    day: date().notNull(),
    ...kindOfUse(),
    ...amounts(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    unique('counters_one_per_use')
      .on(table.tenantId, table.day, table.botId, table.agentId, table.provider, table.model, table.keySource)
      .nullsNotDistinct(),
    tenantPolicy(),
  ],
);

/**
 * Every turn with any use: the details of the counters. Its key makes a turn count once, however often it is reported.
 */
export const logEntries = tenantTable(
  'log_entries',
  ['turnId'],
  {
    turnId: uuid('turn_id').notNull(),
    /** Without a conversation: the run of a test case, or the turn itself. */
    conversationId: uuid('conversation_id').notNull(),
    ...kindOfUse(),
    agentVersion: integer('agent_version'),
    keyId: uuid('key_id'),
    outcome: text({
      enum: ['answered', 'apologized', 'command', 'summary', 'trial', 'evaluation', 'shadow'],
    }).notNull(),
    inputTokens: counter('input_tokens').notNull(),
    outputTokens: counter('output_tokens').notNull(),
    toolCalls: counter('tool_calls').notNull(),
    costMicroUsd: counter('cost_micro_usd'),
    isEstimated: boolean('is_estimated').notNull(),
    durationMs: counter('duration_ms').notNull(),
    completedAt: moment('completed_at').notNull(),
  },
  (table) => {
    const byTime = [table.completedAt, table.turnId] as const;
    return [
      index('log_entries_by_time').on(table.tenantId, ...byTime),
      index('log_entries_by_bot').on(table.tenantId, table.botId, ...byTime),
      index('log_entries_by_agent').on(table.tenantId, table.agentId, ...byTime),
      index('log_entries_by_provider').on(table.tenantId, table.provider, ...byTime),
      index('log_entries_by_model').on(table.tenantId, table.model, ...byTime),
      index('log_entries_by_key_source').on(table.tenantId, table.keySource, ...byTime),
      index('log_entries_of_run').on(table.tenantId, table.conversationId).where(sql`outcome = 'evaluation'`),
      index('log_entries_by_outcome').on(table.tenantId, table.outcome, ...byTime),
    ];
  },
);

/** A tenant's limits per calendar month or day in UTC; null means no limit. */
export const quotas = usage.table(
  'quotas',
  {
    tenantId: uuid('tenant_id').primaryKey(),
    period: text({ enum: ['month', 'day'] }).notNull(),
    messages: counter('messages'),
    inputTokens: counter('input_tokens'),
    outputTokens: counter('output_tokens'),
    costMicroUsd: counter('cost_micro_usd'),
    createdAt: moment('created_at').notNull(),
    /** Use before this moment no longer counts. */
    resetAt: moment('reset_at'),
  },
  () => [tenantPolicy()],
);

/** Running sums of a quota's periods. A period's row begins as the sum of its counted uses. */
export const quotaUse = tenantTable('quota_use', ['periodStart'], {
  /** The beginning of a calendar period, or the reset within it. */
  periodStart: moment('period_start').notNull(),
  ...amounts(),
});

/** The most that turns in progress may use. */
export const reservations = tenantTable(
  'reservations',
  ['reservationId'],
  {
    /** The first message of the turn, which stays the same for a repeated turn. */
    reservationId: uuid('reservation_id').notNull(),
    messages: counter('messages').notNull(),
    inputTokens: counter('input_tokens').notNull(),
    outputTokens: counter('output_tokens').notNull(),
    costMicroUsd: counter('cost_micro_usd').notNull(),
    /** The platform's allowance from which its tokens are reserved, if the call will use a key of the platform. */
    allowance: allowanceKind(),
    expiresAt: moment('expires_at').notNull(),
    settledAt: moment('settled_at'),
  },
  (table) => [
    index('reservations_open').on(table.tenantId, table.expiresAt).where(sql`settled_at is null`),
    index('reservations_old').on(table.expiresAt),
  ],
);

/**
 * An operator's limits for a tenant that override the settings; null means that the setting applies. Tokens per
 * calendar month in UTC.
 */
export const allowances = usage.table(
  'allowances',
  {
    tenantId: uuid('tenant_id').primaryKey(),
    publicTokens: counter('public_tokens'),
    privateTokens: counter('private_tokens'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  () => [tenantPolicy()],
);

/** Running sums of the use of the platform's keys in a calendar month. A row begins as the sum of its counted uses. */
export const allowanceUse = tenantTable('allowance_use', ['monthStart', 'kind'], {
  monthStart: date('month_start').notNull(),
  kind: allowanceKind().notNull(),
  tokens: counter('tokens').notNull(),
});

/** Warnings that were sent: once per limit, level and period. */
export const quotaWarnings = tenantTable('quota_warnings', ['periodStart', 'limitName', 'level'], {
  periodStart: moment('period_start').notNull(),
  limitName: text('limit_name', { enum: limitNames }).notNull(),
  /** Percent of the limit. */
  level: smallint().notNull(),
  warnedAt: moment('warned_at').notNull(),
});
