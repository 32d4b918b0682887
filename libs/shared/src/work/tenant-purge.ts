import { type Database, type TenantTx, withPlatform, withTenant } from '../db/database.ts';
import { listUnpurgedTenants, markPurged, pruneDeletedTenants } from '../db/deleted-tenants.ts';
import { boolean } from '../db/expressions.ts';
import { columns, typedSql } from '../db/typed-sql.ts';
import type { Log } from '../log/log.ts';

interface TenantTable {
  name: string;
  /** Condition for rows that may be removed; the purge waits for the others. Defaults to all rows. */
  where?: string;
}

export interface TenantPurgeOptions {
  database: Database;
  schema: string;
  /** Every table with a `tenant_id`, except the tombstones themselves. */
  tables: readonly TenantTable[];
  /** Preparations before rows can go, such as the removal of webhooks. */
  prepare?: (tx: TenantTx, tenantId: string) => Promise<void>;
  log: Log;
}

const everyMs = 30_000;
const batchSize = 5000;

/**
 * Removes a service's data of deleted tenants, in batches that delay no other work. It repeats, also after a restart,
 * until nothing is left and nothing more can arrive.
 */
export class TenantPurge {
  readonly #options: TenantPurgeOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = true;

  constructor(options: TenantPurgeOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.#timer = setInterval(() => this.wake(), everyMs).unref();
    this.wake();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Called when a tenant was deleted, or when something that the purge waits for is done. */
  wake(): void {
    this.#isWoken = true;
    if (this.#isStopped) return;
    this.#running ??= this.#purgeWhileWoken();
  }

  async #purgeWhileWoken(): Promise<void> {
    const { database, schema } = this.#options;
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false;
      await this.#attempt(async () => {
        const due = await withPlatform(database, 'tenants to purge', (tx) => listUnpurgedTenants(tx, schema));
        for (const tenantId of due) await this.#attempt(() => this.#purge(tenantId), tenantId);
        await withPlatform(database, 'old tombstones', (tx) => pruneDeletedTenants(tx, schema));
      });
    }
    // Runs in the same turn as the loop's last check, so that no wake-up can arrive in between and be lost.
    this.#running = undefined;
  }

  /** A tenant that can't be purged now delays no other. */
  async #attempt(work: () => Promise<void>, tenantId?: string): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.log.warn(
        { err: error, tenantId },
        'a deleted tenant could not be purged; it is tried again',
      );
    }
  }

  async #purge(tenantId: string): Promise<void> {
    const { database, schema, tables, prepare } = this.#options;
    await withTenant(database, [tenantId], async (tx) => prepare?.(tx, tenantId));
    for (const table of tables) while (!this.#isStopped && (await this.#removeBatch(table, tenantId)));
    await withPlatform(database, 'dead letters of a deleted tenant', (tx) =>
      tx.query({
        name: `${schema}.purge.dead_letters`,
        text: `delete from ${schema}.dead_letters where split_part(subject, '.event.', 2) like '%.' || $1 || '.%'`,
        values: [tenantId],
      }),
    );
    await withTenant(database, [tenantId], async (tx) => {
      if (!(await this.#hasLeft(tx, tenantId))) await markPurged(tx, schema, tenantId);
    });
  }

  /** Returns whether more rows may be left. */
  async #removeBatch({ name, where = 'true' }: TenantTable, tenantId: string): Promise<boolean> {
    const { database, schema } = this.#options;
    const rows = await withTenant(database, [tenantId], (tx) =>
      tx.query({
        name: `${schema}.purge.${name}`,
        text: `delete from ${schema}.${name} where ctid in (select ctid from ${schema}.${name}
                 where tenant_id = $1 and ${where} limit ${batchSize} for update) returning 1`,
        values: [tenantId],
      }),
    );
    return rows.length === batchSize;
  }

  async #hasLeft(tx: TenantTx, tenantId: string): Promise<boolean> {
    const { schema, tables } = this.#options;
    const left = tables.map(({ name }) => `exists (select from ${schema}.${name} where tenant_id = $1)`);
    const [row] = await tx.query({
      name: `${schema}.purge.left`,
      text: typedSql`select ${columns({ hasLeft: boolean(left.join(' or ')) })}`,
      values: [tenantId],
    });
    return row?.hasLeft ?? true;
  }
}
