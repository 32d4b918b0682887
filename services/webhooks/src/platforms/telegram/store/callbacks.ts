import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { callbacks } from '../../../store/schema.ts';

const c = alias(callbacks, 'c');
const claimed = columns(pick(c, 'tenantId', 'botId', 'callbackQueryId', 'attempts'));
export type ClaimedCallback = RowOf<typeof claimed>;
type Callback = Omit<ClaimedCallback, 'attempts'>;

/** Presses are acknowledged no later than this: the platform itself stops waiting after 150 s. */
const livesSeconds = 150;
/** Longer than one call to the platform may take. */
const leaseSeconds = 8;

/** Stores a press of a button, once per identifier. */
export async function insertCallback(tx: TenantTx, callback: Callback): Promise<void> {
  await tx.query({
    name: 'webhooks.callbacks.insert',
    text: `insert into webhooks.callbacks (tenant_id, bot_id, callback_query_id) values ($1, $2, $3)
           on conflict do nothing`,
    values: [callback.tenantId, callback.botId, callback.callbackQueryId],
  });
}

const toAnswer = `due_at <= now() and created_at > now() - interval '${livesSeconds} seconds'`;

export const isCallbackDue = `exists (select from webhooks.callbacks where ${toAnswer})`;

const claimText = typedSql`with due as (
    select tenant_id, bot_id, callback_query_id from webhooks.callbacks
    where ${toAnswer}
    order by due_at limit $1 for update skip locked)
  update webhooks.callbacks c set due_at = now() + interval '${leaseSeconds} seconds', attempts = c.attempts + 1
  from due where c.tenant_id = due.tenant_id and c.bot_id = due.bot_id
    and c.callback_query_id = due.callback_query_id
  returning ${claimed}`;

/** Claims presses that have to be acknowledged, oldest first. */
export async function claimCallbacks(tx: PlatformTx, limit: number): Promise<ClaimedCallback[]> {
  return await tx.query({ name: 'webhooks.callbacks.claim', text: claimText, values: [limit] });
}

/** Ends with a press, or schedules a retry after `retryInMs`. */
export async function settleCallback(
  tx: TenantTx,
  callback: Callback,
  retryInMs: number | null,
): Promise<void> {
  await tx.query({
    name: 'webhooks.callbacks.settle',
    text: `update webhooks.callbacks set due_at = now() + make_interval(secs => $4::float8 / 1000)
           where tenant_id = $1 and bot_id = $2 and callback_query_id = $3`,
    values: [callback.tenantId, callback.botId, callback.callbackQueryId, retryInMs],
  });
}
