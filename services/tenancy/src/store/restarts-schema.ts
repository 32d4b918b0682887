import { moment, platformPolicy } from '@botyard/shared/db/columns';
import { jsonb, sql, text, uniqueIndex, uuid } from '@botyard/shared/db/drizzle';
import { tenancy } from './schema.ts';

/** A round that restarts a service's processes one after another; any instance may continue it. */
export const restarts = tenancy.table(
  'restarts',
  {
    restartId: uuid('restart_id').primaryKey(),
    serviceName: text('service_name').notNull(),
    state: text({ enum: ['running', 'done', 'failed'] }).notNull(),
    reason: text(),
    instances: jsonb().$type<RestartedInstance[]>().notNull(),
    startedBy: uuid('started_by').notNull(),
    startedAt: moment('started_at').notNull().defaultNow(),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    uniqueIndex('restarts_one_running').on(table.serviceName).where(sql`state = 'running'`),
    platformPolicy(),
  ],
);

export interface RestartedInstance {
  instanceId: string;
  state: 'waiting' | 'restarting' | 'restarted' | 'failed';
  /** The start of its turn, in milliseconds since 1970. */
  sinceMs?: number;
}
