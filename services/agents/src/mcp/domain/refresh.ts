import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import { Semaphore } from '@botyard/shared/work/semaphore';
import { readTools, VisitError } from '../clients/server-visit.ts';
import type { Deps } from '../deps.ts';
import { makeChangedTicketsDue, replaceListing } from '../store/server-tools.ts';
import { getServer, lockServer, type ServerKey, type ServerRow, updateServer } from '../store/servers.ts';
import { openAddress } from './authorization.ts';
import { type ListedTool, pinTool } from './definition.ts';

export const maxServerTools = 1000;

export type RefreshDeps = Pick<Deps, 'database' | 'egress' | 'keyring' | 'log' | 'visits' | 'wakeTickets'>;

/** A slow server holds a slot of its tenant only. */
export const createVisits = (): Semaphore =>
  new Semaphore(16, {
    maxOfOne: 4,
    maxWaitMs: 5000,
    maxWaitingOfOne: 20,
    maxWaiting: 200,
    busy: 'too many servers are being read: try again',
  });

/** The tools of a server, or why they could not be read. */
type Reading = { tools: readonly ListedTool[]; listTtlMs: number | null } | { error: VisitError };

/**
 * Reads the tools of a server, and stores them, or why they could not be read: known tools stay then. @throws HttpError
 * 404; 409 when an admin changed the server meanwhile; 503 while too many servers are read.
 */
export async function refreshServer(deps: RefreshDeps, key: ServerKey): Promise<ServerRow> {
  const { database, visits } = deps;
  const server = await withTenant(database, [key.tenantId], async (tx) =>
    found(await getServer(tx, key), 'server'),
  );
  const checkedAt = new Date();
  const reading = await visits.run(key.tenantId, () => read(deps, server));
  return await withTenant(database, [key.tenantId], async (tx) => {
    const current = await lockServer(tx, key);
    if (current?.updatedAt.getTime() !== server.updatedAt.getTime())
      throw conflict('the server was changed or deleted meanwhile: try again');
    if (current.checkedAt && current.checkedAt > checkedAt) return current;
    if ('tools' in reading) {
      await replaceListing(tx, key, reading.tools);
      if (await makeChangedTicketsDue(tx, key)) tx.afterCommit(() => deps.wakeTickets());
    }
    return found(await updateServer(tx, key, { ...stateAfter(reading), checkedAt }), 'server');
  });
}

async function read(deps: RefreshDeps, server: ServerRow): Promise<Reading> {
  const { egress, log } = deps;
  try {
    const address = await openAddress(deps, server, null);
    const { tools, ttlMs } = await readTools(egress, address, { maxTools: maxServerTools });
    return { tools: unlessRepeated(tools.map(pinTool)), listTtlMs: boundedTtl(ttlMs) };
  } catch (error) {
    if (!(error instanceof VisitError)) throw error;
    log.info({ err: error, serverId: server.serverId }, 'the tools of a server could not be read');
    return { error };
  }
}

/** The first of several with one name: the server decides what it runs, so the others are no tools of their own. */
export function unlessRepeated(tools: readonly ListedTool[]): ListedTool[] {
  const byName = new Map<string, ListedTool>();
  for (const tool of tools) {
    const isRepeated = byName.has(tool.name) && tool.refusal === null;
    const refusal = 'the server lists several tools of this name';
    if (isRepeated) byName.set(tool.name, { name: tool.name, definition: '', pin: '', refusal });
    else if (!byName.has(tool.name)) byName.set(tool.name, tool);
  }
  return [...byName.values()];
}

/** A server that says less would be read with every call. */
const minTtlMs = 10_000;
export const maxListAgeMs = 300_000;

export const boundedTtl = (ttlMs: number | undefined): number | null =>
  ttlMs === undefined ? null : Math.round(Math.min(Math.max(ttlMs, minTtlMs), maxListAgeMs));

function stateAfter(reading: Reading): Partial<Pick<ServerRow, 'state' | 'lastError' | 'listTtlMs'>> {
  if ('tools' in reading) return { state: 'ready', lastError: null, listTtlMs: reading.listTtlMs };
  const { fault, message } = reading.error;
  return { state: fault === 'unauthorized' ? 'needs_authorization' : 'failed', lastError: message };
}
