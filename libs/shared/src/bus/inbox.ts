import type { EventScope } from '@botyard/contracts/events/definition';
import { busColumns } from '../db/columns.ts';
import {
  type Database,
  keptOpen,
  plannedOnce,
  type TenantTx,
  withPlatform,
  withTenant,
} from '../db/database.ts';
import { columns, inSchemas, typedSql } from '../db/typed-sql.ts';
import { failpoint } from '../service/failpoint.ts';
import type { Received, Subscription } from './consumer.ts';

/** An event with the subscription that it is for. */
export interface Delivered<Deps> extends Received {
  subscription: Subscription<Deps>;
  /** Empty when it is nobody's. */
  tenantId: string;
}

export interface Inbox<Deps> {
  database: Database;
  schema: string;
  deps: Deps;
}

/** Reads what an event says. @throws when it isn't what its schema says. */
export function readEvent<Deps>(
  subscription: Subscription<Deps>,
  { id, traceparent, said }: { id: string; traceparent?: string | undefined; said: unknown },
): Delivered<Deps> {
  const data = subscription.event.schema.parse(said) as EventScope;
  return { id, data, traceparent, subscription, tenantId: data.tenantId ?? '' };
}

/**
 * Handles events in one transaction, those that were handled before left out: the mark in the inbox commits together
 * with the effect (REQ-REL-3).
 */
export async function handleOnce<Deps>(
  { database, schema, deps }: Inbox<Deps>,
  batch: readonly Delivered<Deps>[],
): Promise<void> {
  const work = async (tx: TenantTx) => {
    const [fresh, isWanted] = await Promise.all([insertInbox(tx, schema, batch), sift(tx, batch)]);
    await failpoint(`${schema}.consumer.before-commit`);
    const runs = runsOf(fresh.filter(isWanted));
    for (const run of runs) {
      const inTurn = run === runs.at(-1) ? tx : keptOpen(tx);
      await run.subscription.handle(inTurn, run.events, deps);
    }
  };
  const tenantIds = [...new Set(batch.map(({ tenantId }) => tenantId))].filter((tenantId) => tenantId !== '');
  if (tenantIds.length > 0) await withTenant(plannedOnce(database), tenantIds, work);
  else await withPlatform(database, 'platform event', (tx) => work(tx as unknown as TenantTx));
}

const insertText = inSchemas(
  (schema) => typedSql`insert into ${schema}.inbox (event_id) select distinct unnest ($1::uuid[]) order by 1
    on conflict do nothing returning ${columns({ eventId: busColumns.inbox.eventId })}`,
);

async function insertInbox<Deps>(
  tx: TenantTx,
  schema: string,
  batch: readonly Delivered<Deps>[],
): Promise<Delivered<Deps>[]> {
  const rows = await tx.query({
    name: `${schema}.inbox.insert`,
    text: insertText(schema),
    values: [batch.map(({ id }) => id)],
  });
  const fresh = new Set(rows.map(({ eventId }) => eventId));
  return batch.filter(({ id }) => fresh.delete(id));
}

/** Asks each subscription of a batch, all at once. */
async function sift<Deps>(
  tx: TenantTx,
  batch: readonly Delivered<Deps>[],
): Promise<(event: Delivered<Deps>) => boolean> {
  const sifts = Map.groupBy(batch, ({ subscription }) => subscription.sift);
  const verdicts = [...sifts].map(async ([ask, events]) => [ask, await ask?.(tx, events)] as const);
  const isWanted = new Map(await Promise.all(verdicts));
  return (event) => isWanted.get(event.subscription.sift)?.(event) ?? true;
}

/** Neighbours of the same kind, so that a handler of batches gets them together and order is kept. */
function runsOf<Deps>(
  batch: readonly Delivered<Deps>[],
): { subscription: Subscription<Deps>; events: Delivered<Deps>[] }[] {
  const runs: { subscription: Subscription<Deps>; events: Delivered<Deps>[] }[] = [];
  for (const event of batch) {
    const last = runs.at(-1);
    if (last?.subscription === event.subscription) last.events.push(event);
    else runs.push({ subscription: event.subscription, events: [event] });
  }
  return runs;
}
