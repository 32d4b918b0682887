import type { TenantTx } from '@botyard/shared/db/database';

/** Makes sure that the outbox takes events in this transaction. @throws at once when something else has it locked. */
export async function lockOutboxForWriting(tx: TenantTx): Promise<void> {
  await tx.query({
    name: 'webhooks.outbox.lock',
    text: 'lock table webhooks.outbox in row exclusive mode nowait',
    values: [],
  });
}
