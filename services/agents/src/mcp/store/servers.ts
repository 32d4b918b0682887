import type { TenantTx } from '@botyard/shared/db/database';
import { and, arrayContains, desc, eq } from '@botyard/shared/db/drizzle';
import { lockNamed } from '@botyard/shared/db/lock-named';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import { agentDefinitions } from '../../store/definitions-schema.ts';
import { toolServers } from '../../store/integrations-schema.ts';

export type ServerRow = typeof toolServers.$inferSelect;
export type ServerKey = Pick<ServerRow, 'tenantId' | 'serverId'>;

const stored = rowsOf(toolServers, 'tenantId', 'serverId');
/** New values of columns; `undefined` doesn't change a column. */
type ServerChange = Parameters<typeof stored.update>[2];
export const { get: getServer, lock: lockServer, remove: removeServer } = stored;

/** Serializes the additions of a tenant, so that its limit isn't exceeded. */
export const lockServers = (tx: TenantTx, tenantId: string): Promise<void> =>
  lockNamed(tx, `tool servers ${tenantId}`);

export const countServers = (tx: TenantTx, tenantId: string): Promise<number> =>
  stored.count(tx, { tenantId });

/** The newest first. */
export const listServers = (tx: TenantTx, tenantId: string): Promise<ServerRow[]> =>
  tx.db
    .select()
    .from(toolServers)
    .where(eq(toolServers.tenantId, tenantId))
    .orderBy(desc(toolServers.serverId));

/** Agents that name the server, at most 6. */
export const listAgentsNaming = (tx: TenantTx, { tenantId, serverId }: ServerKey) =>
  tx.db
    .select({ id: agentDefinitions.id, name: agentDefinitions.name })
    .from(agentDefinitions)
    .where(
      and(eq(agentDefinitions.tenantId, tenantId), arrayContains(agentDefinitions.serverIds, [serverId])),
    )
    .orderBy(desc(agentDefinitions.id))
    .limit(6);

const refusals = {
  tool_servers_by_name: (cause: unknown) => conflict('a server has this name: choose another one', { cause }),
};

/** @throws HttpError 409 for a name that another server has. */
export async function insertServer(
  tx: TenantTx,
  row: Omit<ServerRow, 'createdAt' | 'updatedAt' | 'state' | 'lastError' | 'checkedAt' | 'listTtlMs'>,
): Promise<ServerRow> {
  const [inserted] = await translated(tx.db.insert(toolServers).values(row).returning(), refusals);
  return inserted!;
}

/** @throws HttpError 409 for a name that another server has. */
export const updateServer = (
  tx: TenantTx,
  key: ServerKey,
  change: ServerChange,
): Promise<ServerRow | undefined> => translated(stored.update(tx, key, change), refusals);
