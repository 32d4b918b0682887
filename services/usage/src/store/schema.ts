import { busTables, moment, tenantPolicy } from '@botyard/shared/db/columns';
import { deletedTenantsTable } from '@botyard/shared/db/deleted-tenants';
import { bigint, date, pgSchema, text, unique, uuid } from '@botyard/shared/db/drizzle';

export const usage = pgSchema('usage');
export const { outbox, inbox, consumerFailures, deadLetters, streams } = busTables(usage);
export const deletedTenants = deletedTenantsTable(usage);

const counter = (name: string) => bigint(name, { mode: 'number' });

export const counters = usage.table(
  'counters',
  {
    tenantId: uuid('tenant_id').notNull(),
    /** In UTC. */
    day: date().notNull(),
    botId: uuid('bot_id').notNull(),
    agentId: uuid('agent_id'),
    provider: text(),
    model: text(),
    keySource: text('key_source', { enum: ['agent', 'bot', 'tenant', 'platform', 'none'] }).notNull(),
    messages: counter('messages').notNull(),
    inputTokens: counter('input_tokens').notNull(),
    outputTokens: counter('output_tokens').notNull(),
    toolCalls: counter('tool_calls').notNull(),
    /** Null while the model has no known price: unknown is not free. */
    costMicroUsd: counter('cost_micro_usd'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    unique('counters_one_per_use')
      .on(table.tenantId, table.day, table.botId, table.agentId, table.provider, table.model, table.keySource)
      .nullsNotDistinct(),
    tenantPolicy(),
  ],
);
