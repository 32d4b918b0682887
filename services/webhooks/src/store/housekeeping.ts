import type { PlatformTx } from '@botyard/shared/db/database';

const bite = 5000;

/** Deliveries are known for 8 days: a day longer than anything comes again. Returns how many went. */
export async function pruneDeliveries(tx: PlatformTx): Promise<number> {
  const rows = await tx.query({
    name: 'webhooks.deliveries.prune',
    text: `delete from webhooks.deliveries where ctid in (select ctid from webhooks.deliveries
             where received_at < now() - interval '8 days' limit ${bite}) returning 1`,
    values: [],
  });
  return rows.length;
}

/** The identity provider repeats an event for 28 hours; known for 8 days, as all deliveries. Returns how many went. */
export async function pruneIdentityDeliveries(tx: PlatformTx): Promise<number> {
  const rows = await tx.query({
    name: 'webhooks.identity_deliveries.prune',
    text: `delete from webhooks.identity_deliveries where ctid in (select ctid from webhooks.identity_deliveries
             where received_at < now() - interval '8 days' limit ${bite}) returning 1`,
    values: [],
  });
  return rows.length;
}

/** Minutes of clients that have ended: a client that comes again begins a new one. */
export async function pruneRateWindows(tx: PlatformTx): Promise<number> {
  const rows = await tx.query({
    name: 'webhooks.rate_windows.prune',
    text: `delete from webhooks.rate_windows where ctid in (select ctid from webhooks.rate_windows
             where ends_at < now() - interval '1 minute' limit ${bite}) returning 1`,
    values: [],
  });
  return rows.length;
}

/** Texts of replies that were sent or given up a week ago: the agents service keeps the conversation. */
export async function pruneSettled(tx: PlatformTx): Promise<number> {
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
}
