import type { PlatformTx } from '@botyard/shared/db/database';

const bite = 5000;

/** Removes some of the rows that nothing needs any longer. Returns how many went. */
export type Prune = (tx: PlatformTx) => Promise<number>;

const pruneTable =
  (table: string, isOld: string): Prune =>
  async (tx) => {
    const rows = await tx.query({
      name: `webhooks.${table}.prune`,
      text: `delete from webhooks.${table} where ctid in
               (select ctid from webhooks.${table} where ${isOld} limit ${bite}) returning 1`,
      values: [],
    });
    return rows.length;
  };

/** Deliveries are known for 8 days: a day longer than anything comes again. */
export const pruneDeliveries = pruneTable('deliveries', "received_at < now() - interval '8 days'");

/** The identity provider repeats an event for 28 hours; known for 8 days, as all deliveries. */
export const pruneIdentityDeliveries = pruneTable(
  'identity_deliveries',
  "received_at < now() - interval '8 days'",
);

/** No press of a button comes again after an hour. */
export const pruneCallbacks = pruneTable('callbacks', "created_at < now() - interval '1 hour'");

/** Minutes of clients that have ended: a client that comes again begins a new one. */
export const pruneRateWindows = pruneTable('rate_windows', "ends_at < now() - interval '1 minute'");

/** Texts of replies that were sent or given up 8 days ago: the agents service keeps the conversation. */
export const pruneSettled: Prune = async (tx) => {
  const rows = await tx.query<{ reply_id: string }>({
    name: 'webhooks.replies.prune',
    text: `delete from webhooks.replies where ctid in (select ctid from webhooks.replies
             where state in ('sent', 'failed') and created_at < now() - interval '8 days' limit ${bite})
           returning reply_id`,
    values: [],
  });
  await tx.query({
    name: 'webhooks.parts.prune',
    text: 'delete from webhooks.parts where reply_id = any ($1::uuid[])',
    values: [rows.map((row) => row.reply_id)],
  });
  return rows.length;
};
