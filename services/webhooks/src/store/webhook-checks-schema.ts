import { moment } from '@botyard/shared/db/columns';
import { foreignKey, index, integer, text, uuid } from '@botyard/shared/db/drizzle';
import { endpoints, tenantTable } from './schema.ts';

export type RepairReason = NonNullable<(typeof webhookChecks.$inferSelect)['lastRepairReason']>;

/** The time of the next webhook check of an integration, and its repairs. */
export const webhookChecks = tenantTable(
  'webhook_checks',
  ['integrationId'],
  {
    integrationId: uuid('integration_id').notNull(),
    dueAt: moment('due_at').notNull(),
    /** When the platform was last called about it. */
    calledAt: moment('called_at'),
    /** The base address when the webhook was last correct. If the current one differs, the webhook has to be moved. */
    baseUrl: text('base_url'),
    /**
     * The newest delivery error that was already handled by registering again, because the platform keeps reporting it.
     */
    answeredErrorAt: moment('answered_error_at'),
    repairs: integer().notNull().default(0),
    lastRepairAt: moment('last_repair_at'),
    lastRepairReason: text('last_repair_reason', { enum: ['address', 'removed', 'secret', 'settings'] }),
  },
  (table) => [
    index('webhook_checks_due').on(table.dueAt),
    foreignKey({
      name: 'webhook_checks_of_endpoint',
      columns: [table.tenantId, table.integrationId],
      foreignColumns: [endpoints.tenantId, endpoints.integrationId],
    }).onDelete('cascade'),
  ],
);
