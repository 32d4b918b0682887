import { moment, platformPolicy } from '@botyard/shared/db/columns';
import { index, integer, text } from '@botyard/shared/db/drizzle';
import { webhooks } from './schema.ts';

/** Accepted events of the identity provider, for 8 days: a repeated one is a duplicate. */
export const identityDeliveries = webhooks.table(
  'identity_deliveries',
  { eventId: text('event_id').primaryKey(), receivedAt: moment('received_at').notNull().defaultNow() },
  (table) => [index('identity_deliveries_by_age').on(table.receivedAt), platformPolicy()],
);

/** Requests of each client in its current minute. The table is unlogged: a crash of the database resets the counts. */
export const rateWindows = webhooks.table(
  'rate_windows',
  { client: text().primaryKey(), endsAt: moment('ends_at').notNull(), hits: integer().notNull() },
  () => [platformPolicy()],
);
