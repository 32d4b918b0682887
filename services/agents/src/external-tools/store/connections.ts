import type { PageRequest } from '@botyard/contracts/http/page';
import type { ConnectionStatus } from '@botyard/contracts/http/tools';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, isNull, ne, or, sql } from '@botyard/shared/db/drizzle';
import { rowsOf } from '@botyard/shared/db/rows';
import { toolConnections } from '../../store/integrations-schema.ts';

export type ConnectionRow = typeof toolConnections.$inferSelect;
export type ConnectionKey = Pick<ConnectionRow, 'tenantId' | 'connectionId'>;

const stored = rowsOf(toolConnections, 'tenantId', 'connectionId');
export const { get: getConnection, remove: deleteConnection } = stored;

export async function insertConnection(
  tx: TenantTx,
  row: Omit<ConnectionRow, 'createdAt' | 'verifiedAt' | 'stateUsedAt'>,
): Promise<void> {
  await tx.db.insert(toolConnections).values(row);
}

/** Counts the connections, without those that were not completed in time. */
export const countConnections = (tx: TenantTx, tenantId: string): Promise<number> => {
  const isAlive = or(ne(toolConnections.status, 'pending'), sql`${toolConnections.expiresAt} > now()`);
  return tx.db.$count(toolConnections, and(eq(toolConnections.tenantId, tenantId), isAlive));
};

/** Deletes connections that were never completed, before a new one is started. */
export async function deleteAbandoned(tx: TenantTx, tenantId: string): Promise<void> {
  await tx.db
    .delete(toolConnections)
    .where(
      and(
        eq(toolConnections.tenantId, tenantId),
        eq(toolConnections.status, 'pending'),
        sql`${toolConnections.expiresAt} < now() - interval '1 day'`,
      ),
    );
}

/** Newest first, one more than the page's limit. */
export const listConnections = (
  tx: TenantTx,
  tenantId: string,
  {
    toolkit,
    status,
    ...page
  }: PageRequest & { toolkit?: string | undefined; status?: ConnectionStatus | undefined },
) => stored.list(tx, { tenantId, toolkit, status }, page);

/** Finds a connection that a person started: by its state, its identifier, or the provider's name of the account. */
export async function findBegunConnection(
  tx: TenantTx,
  { tenantId, userId, ...wanted }: { tenantId: string; userId: string; stateHash?: string; name?: string },
): Promise<ConnectionRow | undefined> {
  const { stateHash, connectionId, providerAccountId } = toolConnections;
  const isIt = wanted.stateHash
    ? eq(stateHash, wanted.stateHash)
    : or(sql`${connectionId}::text = lower(${wanted.name})`, eq(providerAccountId, wanted.name ?? ''));
  return await stored.first(tx, { tenantId, userId }, isIt);
}

/** Uses up the state with the provider's answer. Returns `undefined` when another request was faster. */
export async function settleConnection(
  tx: TenantTx,
  key: ConnectionKey,
  status: Exclude<ConnectionStatus, 'pending'>,
): Promise<ConnectionRow | undefined> {
  const [row] = await tx.db
    .update(toolConnections)
    .set({ status, stateUsedAt: sql`now()`, ...(status === 'active' ? { verifiedAt: sql`now()` } : {}) })
    .where(and(stored.matches(key), isNull(toolConnections.stateUsedAt)))
    .returning();
  return row;
}

/** Saves the current status of a confirmed connection. */
export const updateConnectionStatus = (tx: TenantTx, key: ConnectionKey, status: ConnectionStatus) =>
  stored.update(tx, key, { status });

/** An active account: the given one, or the toolkit's latest one. */
export const findActiveConnection = (
  tx: TenantTx,
  tenantId: string,
  { toolkit, connectionId }: { toolkit: string; connectionId: string | null },
) => stored.first(tx, { tenantId, toolkit, status: 'active', connectionId: connectionId ?? undefined });
