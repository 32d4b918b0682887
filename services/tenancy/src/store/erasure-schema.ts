import type { Receipt } from '@botyard/contracts/http/gdpr';
import { createdAt, moment, platformPolicy } from '@botyard/shared/db/columns';
import { bigint, index, integer, jsonb, sql, text, uuid } from '@botyard/shared/db/drizzle';
import { tenancy, tenantTable } from './schema.ts';

/** Requests to erase people. Finished ones keep hashed identifiers and a time. */
export const erasures = tenantTable(
  'erasures',
  ['erasureId'],
  {
    erasureId: uuid('erasure_id').notNull().unique(),
    personIds: uuid('person_ids').array().notNull(),
    erasedBefore: moment('erased_before').notNull(),
    state: text({ enum: ['queued', 'running', 'done'] }).notNull(),
    /** Accounts and conversations of the person, sealed; `null` while unknown, and once the erasure is done. */
    sealedSubject: text('sealed_subject'),
    /** Progress of a run: see `steps`. */
    step: integer().notNull().default(0),
    receipts: jsonb().$type<Receipt[]>().notNull().default([]),
    runs: integer().notNull().default(0),
    waitsFor: text('waits_for'),
    /** The time when it was recorded in the ledger outside the database. */
    notedAt: moment('noted_at'),
    attempts: integer().notNull().default(0),
    fence: bigint({ mode: 'number' }).notNull().default(0),
    readyAt: moment('ready_at').notNull().defaultNow(),
    leaseUntil: moment('lease_until'),
    createdBy: uuid('created_by'),
    createdAt: createdAt(),
    completedAt: moment('completed_at'),
  },
  (table) => [index('erasures_ready').on(table.tenantId, table.readyAt).where(sql`state <> 'done'`)],
);

/**
 * The mark of the object store's ledgers when they were last written. If the object store has another mark, this
 * database was restored.
 */
export const ledgerMarks = tenancy.table(
  'ledger_marks',
  { name: text().primaryKey(), mark: uuid().notNull() },
  () => [platformPolicy()],
);
