import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import { z } from 'zod';
import { asOnlyInstance } from '../../store/only-instance.ts';
import type { Deps } from '../deps.ts';
import {
  getLedgerMark,
  insertErasure,
  listTenantIds,
  listTombstones,
  setLedgerMark,
} from '../store/erasures.ts';

/**
 * The ledger of erasures outside the database: a restored backup lacks later erasures, and the ledger has them. It
 * contains only hashed identifiers and times, in one object per tenant.
 */
const Ledger = z.object({
  erasures: z.array(
    z.object({ erasureId: z.uuid(), personIds: z.array(z.uuid()), erasedBefore: z.iso.datetime() }),
  ),
});
const Mark = z.object({ mark: z.uuid() });
type Entry = z.output<typeof Ledger>['erasures'][number];

const keyOf = (tenantId: string): string => `${tenantId}/erasures/ledger`;
/** Contains the same mark as the database, unless that was restored since. Only then are the ledgers read. */
const markKey = 'platform/erasures/mark';
const ledgerLock = 7_305_482_921;
const maxBytes = 32 * 1024 * 1024;

type LedgerDeps = Pick<Deps, 'database' | 'objects'>;

/**
 * Records all erasures of a tenant, including those known only to the ledger. Returns `false` while another instance
 * does so.
 */
export async function noteInLedger(deps: LedgerDeps, tenantId: string): Promise<boolean> {
  const { database, objects } = deps;
  return await asOnlyInstance(database, ledgerLock, async () => {
    const isKnown = await isMarkKnown(deps);
    const byId = new Map((await readLedger(objects, tenantId)).map((entry) => [entry.erasureId, entry]));
    const rows = await withTenant(database, [tenantId], (tx) => listTombstones(tx, tenantId));
    for (const { erasureId, personIds, erasedBefore } of rows)
      byId.set(erasureId, { erasureId, personIds, erasedBefore: erasedBefore.toISOString() });
    await write(objects, keyOf(tenantId), { erasures: [...byId.values()] } satisfies z.input<typeof Ledger>);
    // In a restored database that hasn't been compared yet, the mark must still differ.
    if (isKnown) await markAnew(deps);
  });
}

/** Whether the ledgers were last written from this database. */
async function isMarkKnown({ database, objects }: LedgerDeps): Promise<boolean> {
  const written = Mark.safeParse(await read(objects, markKey)).data?.mark;
  const mark = await withPlatform(database, 'mark of the ledgers', getLedgerMark);
  return written !== undefined && written === mark;
}

/**
 * Written outside the database first: a mark in only one place causes a needless comparison, but never a missed one.
 */
async function markAnew({ database, objects }: LedgerDeps): Promise<void> {
  const mark = randomUUID();
  await write(objects, markKey, { mark } satisfies z.input<typeof Mark>);
  await withPlatform(database, 'mark of the ledgers', (tx) => setLedgerMark(tx, mark));
}

/** Restarts erasures that are in the ledger but not in a restored database. Returns the restarted ones. */
export async function reapplyLedger({ database, objects }: LedgerDeps, tenantId: string): Promise<string[]> {
  const entries = await readLedger(objects, tenantId);
  if (entries.length === 0) return [];
  return await withTenant(database, [tenantId], async (tx) => {
    const storedIds = new Set((await listTombstones(tx, tenantId)).map(({ erasureId }) => erasureId));
    const lost = entries.filter(({ erasureId }) => !storedIds.has(erasureId));
    for (const { erasureId, personIds, erasedBefore } of lost) {
      const tombstone = { tenantId, erasureId, personIds, erasedBefore: new Date(erasedBefore) };
      await insertErasure(tx, { ...tombstone, sealedSubject: null, createdBy: null, notedAt: new Date() });
    }
    return lost.map(({ erasureId }) => erasureId);
  });
}

/**
 * The same for all tenants, page by page, after the database was restored. Returns the number of restarted erasures.
 */
export async function reapplyAll(deps: LedgerDeps, isStopped: () => boolean): Promise<number> {
  if (await isMarkKnown(deps)) return 0;
  let after = '00000000-0000-0000-0000-000000000000';
  let begun = 0;
  for (;;) {
    const from = after;
    const tenantIds = await withPlatform(deps.database, 'ledgers of erasures', (tx) =>
      listTenantIds(tx, from, 100),
    );
    for (const tenantId of tenantIds) {
      if (isStopped()) return begun;
      begun += (await reapplyLedger(deps, tenantId)).length;
    }
    const last = tenantIds.at(-1);
    if (last === undefined) break;
    after = last;
  }
  await asOnlyInstance(deps.database, ledgerLock, () => markAnew(deps));
  return begun;
}

async function readLedger(objects: ObjectStore, tenantId: string): Promise<Entry[]> {
  const written = await read(objects, keyOf(tenantId));
  return written === undefined ? [] : Ledger.parse(written).erasures;
}

async function write(objects: ObjectStore, key: string, content: object): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(content));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await objects.put(key, Readable.from([bytes]), { sizeBytes: bytes.length, sha256 });
}

/** Returns `undefined` for an unknown key. */
async function read(objects: ObjectStore, key: string): Promise<unknown> {
  const stream = await objects.get(key);
  if (!stream) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += (chunk as Uint8Array).length;
    if (size > maxBytes) throw new Error('the ledger of erasures is larger than any that was written');
    chunks.push(Buffer.from(chunk as Uint8Array));
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
