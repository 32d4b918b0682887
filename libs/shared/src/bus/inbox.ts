import type { EventScope } from '@botyard/contracts/events/definition';
import { busColumns } from '../db/columns.ts';
import { type Database, type TenantTx, withPlatform, withTenant } from '../db/database.ts';
import { isNullOf, isUniqueViolation } from '../db/failures.ts';
import { columns, inSchemas, typedSql } from '../db/typed-sql.ts';
import { failpoint } from '../service/failpoint.ts';
import type { Received, Subscription } from './consumer.ts';

/** An event with the subscription that handles it. */
export interface Delivered<Deps> extends Received {
  subscription: Subscription<Deps>;
  /** Empty if the event belongs to no tenant. */
  tenantId: string;
}

export interface Inbox<Deps> {
  database: Database;
  schema: string;
  deps: Deps;
}

/**
 * Parses an event.
 * @throws if it doesn't match its schema.
 */
export function readEvent<Deps>(
  subscription: Subscription<Deps>,
  { id, traceparent, said }: { id: string; traceparent?: string | undefined; said: unknown },
): Delivered<Deps> {
  const data = subscription.event.schema.parse(said) as EventScope;
  return { id, data, traceparent, subscription, tenantId: data.tenantId ?? '' };
}

/**
 * Handles events in one transaction, except those that were handled before or aren't wanted. The mark in the inbox
 * commits together with the effect (REQ-REL-3).
 */
export async function handleOnce<Deps>(inbox: Inbox<Deps>, batch: readonly Delivered<Deps>[]): Promise<void> {
  const { schema, deps } = inbox;
  const staysOpen = runsOf(batch).length > 1;
  const handle = async (tx: TenantTx) => {
    const [fresh, isWanted] = await Promise.all([insertUnlessKnown(tx, schema, batch), sift(tx, batch)]);
    for (const { subscription, events } of runsOf(fresh.filter(isWanted)))
      await subscription.handle(tx, events, deps);
  };
  await inTransaction(inbox, batch, handle, { staysOpen });
}

/**
 * Without it a message costs about a tenth more CPU: like `handleOnce`, for events of one subscription that are most
 * likely new and wanted. The effect is sent together with the marks, without a check first. Returns `false`, with
 * nothing changed, if one of them is not.
 */
export async function handleAsNew<Deps>(
  inbox: Inbox<Deps>,
  batch: readonly Delivered<Deps>[],
): Promise<boolean> {
  const { schema, deps } = inbox;
  const { subscription } = batch[0]!;
  try {
    await inTransaction(inbox, batch, async (tx) => {
      const marking = insertNew(tx, schema, batch);
      const sifting = subscription.sift?.requireAll(tx, batch);
      const handling = subscription.handle(tx, [...batch], deps);
      // The marks are not committed without the effect, even if the handler has announced its last statements.
      handling.catch((error: unknown) => tx.abandon(error));
      // Waits for all of them: the transaction may not end before the handler has registered what to undo.
      const outcomes = await Promise.allSettled([marking, sifting, handling]);
      const failure = outcomes.find(({ status }) => status === 'rejected') as
        | PromiseRejectedResult
        | undefined;
      if (failure) throw failure.reason;
    });
    return true;
  } catch (error) {
    if (isUniqueViolation(error, 'inbox_pkey') || isNullOf(error, 'event_id')) return false;
    throw error;
  }
}

async function inTransaction<Deps>(
  { database, schema }: Inbox<Deps>,
  batch: readonly Delivered<Deps>[],
  handle: (tx: TenantTx) => Promise<void>,
  { staysOpen = false } = {},
): Promise<void> {
  const work = async (tx: TenantTx) => {
    await failpoint(`${schema}.consumer.before-commit`);
    await handle(tx);
  };
  const tenantIds = batch.map(({ tenantId }) => tenantId).filter((tenantId) => tenantId !== '');
  if (tenantIds.length > 0) await withTenant(database, tenantIds, work, { plansOnce: true, staysOpen });
  else await withPlatform(database, 'platform event', (tx) => work(tx as unknown as TenantTx));
}

async function insertNew<Deps>(
  tx: TenantTx,
  schema: string,
  batch: readonly Delivered<Deps>[],
): Promise<void> {
  await tx.query({
    name: `${schema}.inbox.insert_new`,
    text: `insert into ${schema}.inbox (event_id) select unnest($1::uuid[]) order by 1`,
    values: [batch.map(({ id }) => id)],
  });
}

const insertText = inSchemas(
  (schema) => typedSql`insert into ${schema}.inbox (event_id) select distinct unnest ($1::uuid[]) order by 1
    on conflict do nothing returning ${columns({ eventId: busColumns.inbox.eventId })}`,
);

async function insertUnlessKnown<Deps>(
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

/** Checks each subscription of a batch, concurrently. */
async function sift<Deps>(
  tx: TenantTx,
  batch: readonly Delivered<Deps>[],
): Promise<(event: Delivered<Deps>) => boolean> {
  const sifts = Map.groupBy(batch, ({ subscription }) => subscription.sift);
  const verdicts = [...sifts].map(async ([one, events]) => [one, await one?.find(tx, events)] as const);
  const isWanted = new Map(await Promise.all(verdicts));
  return (event) => isWanted.get(event.subscription.sift)?.(event) ?? true;
}

/**
 * Consecutive events of the same subscription, so that a batch handler receives them together and the order is kept.
 */
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
