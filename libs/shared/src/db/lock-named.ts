import type { AnyTx } from './database.ts';

/** Other transactions of the service that lock this name wait until this one ends. For what no row stands for. */
export async function lockNamed(tx: AnyTx, name: string): Promise<void> {
  await tx.query({
    name: 'db.lock_named',
    text: 'select pg_advisory_xact_lock(hashtextextended($1::text, 0))',
    values: [name],
  });
}
