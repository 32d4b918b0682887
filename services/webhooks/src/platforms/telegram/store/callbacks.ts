import { alias } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf } from '@botyard/shared/db/typed-sql';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import { callbacks } from '../../../store/schema.ts';

const claimed = columns(pick(alias(callbacks, 'q'), 'tenantId', 'botId', 'callbackQueryId', 'attempts'));
export type ClaimedCallback = RowOf<typeof claimed>;
type Callback = Omit<ClaimedCallback, 'attempts'>;

/** Presses are acknowledged no later than this: the platform itself stops waiting after 150 s. */
const livesSeconds = 150;

/** Stores a press of a button, once per identifier. */
export const insertCallback = preparedStatement({
  name: 'webhooks.callbacks.insert',
  text: `insert into webhooks.callbacks (tenant_id, bot_id, callback_query_id) values ($1, $2, $3)
         on conflict do nothing`,
  values: (callback: Callback) => [callback.tenantId, callback.botId, callback.callbackQueryId],
});

export const callbackQueue: QueueTable<ClaimedCallback> = {
  table: 'webhooks.callbacks',
  key: ['tenantId', 'botId', 'callbackQueryId'],
  columns: claimed,
  isOfQueue: `q.created_at > now() - interval '${livesSeconds} seconds'`,
  readyAt: 'q.due_at',
  leaseUntil: 'due_at',
  // Longer than one call to the platform may take.
  leaseSeconds: 8,
  set: 'attempts = q.attempts + 1',
};

/** Ends with a press, or schedules a retry after `retryInMs`. */
export const settleCallback = preparedStatement({
  name: 'webhooks.callbacks.settle',
  text: `update webhooks.callbacks set due_at = now() + make_interval(secs => $4::float8 / 1000)
         where tenant_id = $1 and bot_id = $2 and callback_query_id = $3`,
  values: (callback: Callback, retryInMs: number | null) => [
    callback.tenantId,
    callback.botId,
    callback.callbackQueryId,
    retryInMs,
  ],
});
