import type { TenantTx } from '@botyard/shared/db/database';
import { and, asc, eq, isNull, sql } from '@botyard/shared/db/drizzle';
import { rowsOf } from '@botyard/shared/db/rows';
import { serverTools, toolTickets } from '../../store/integrations-schema.ts';
import type { ServerKey } from './servers.ts';

export type ServerToolRow = typeof serverTools.$inferSelect;
export type ServerToolKey = Pick<ServerToolRow, 'tenantId' | 'serverId' | 'name'>;
type Listing = Pick<ServerToolRow, 'name' | 'definition' | 'pin' | 'refusal'>;

export const {
  get: getServerTool,
  lock: lockServerTool,
  update: updateServerTool,
} = rowsOf(serverTools, 'tenantId', 'serverId', 'name');

const ofServer = ({ tenantId, serverId }: ServerKey) =>
  and(eq(serverTools.tenantId, tenantId), eq(serverTools.serverId, serverId));

/** The tools that the server listed when they were last read, by name. */
export const listServerTools = (tx: TenantTx, key: ServerKey): Promise<ServerToolRow[]> =>
  tx.db
    .select()
    .from(serverTools)
    .where(and(ofServer(key), eq(serverTools.isListed, true)))
    .orderBy(asc(serverTools.name));

/**
 * Stores what a server lists. Decisions stay. A tool that is no longer listed is kept only if an admin decided about
 * it, so that a server can't fill the table.
 */
export async function replaceListing(
  tx: TenantTx,
  key: ServerKey,
  listing: readonly Listing[],
): Promise<void> {
  const { tenantId, serverId } = key;
  const names = listing.map(({ name }) => name);
  const isGone = sql`${serverTools.name} <> all(${sql.param(names)})`;
  await tx.db.delete(serverTools).where(and(ofServer(key), isGone, isNull(serverTools.decidedPin)));
  await tx.db
    .update(serverTools)
    .set({ isListed: false })
    .where(and(ofServer(key), isGone));
  if (listing.length === 0) return;
  await tx.db
    .insert(serverTools)
    .values(listing.map((tool) => ({ ...tool, tenantId, serverId })))
    .onConflictDoUpdate({
      target: [serverTools.tenantId, serverTools.serverId, serverTools.name],
      set: {
        isListed: true,
        definition: sql`excluded.definition`,
        pin: sql`excluded.pin`,
        refusal: sql`excluded.refusal`,
      },
    });
}

/** Calls that wait for an approval of a definition that the server no longer lists end at once, by their worker. */
export async function makeChangedTicketsDue(
  tx: TenantTx,
  { tenantId, serverId }: ServerKey,
): Promise<boolean> {
  const pinNow = sql`(select ${serverTools.pin} from ${serverTools} where ${serverTools.tenantId} = ${tenantId}
    and ${serverTools.serverId} = ${serverId} and ${serverTools.name} = ${toolTickets.tool} and ${serverTools.isListed})`;
  const rows = await tx.db
    .update(toolTickets)
    .set({ nextAt: sql`now()` })
    .where(
      and(
        eq(toolTickets.tenantId, tenantId),
        eq(toolTickets.toolkit, `mcp-${serverId}`),
        eq(toolTickets.status, 'pending'),
        sql`${toolTickets.pin} is distinct from ${pinNow}`,
      ),
    )
    .returning({ ticketId: toolTickets.ticketId });
  return rows.length > 0;
}

/** Forgets all tools of a server, and what was decided about them. */
export async function removeServerTools(tx: TenantTx, key: ServerKey): Promise<void> {
  await tx.db.delete(serverTools).where(ofServer(key));
}
