import { withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { listPartsUpTo } from '../store/messages.ts';
import { noteReadTo, type Visitor } from '../store/visitors.ts';
import type { WebchatEndpoint } from './connection.ts';

/** More answers than somebody reads at once; the newest ones are reported. */
const maxReported = 20;

/**
 * Tells staff which answers a visitor has seen. Never throws: if it can't be told now, the window's next request has
 * the same mark.
 */
export async function noteRead(
  deps: Pick<Deps, 'database' | 'log' | 'receive'>,
  endpoint: WebchatEndpoint,
  visitor: Visitor,
  readTo: number,
): Promise<void> {
  const { tenantId, visitorId, readTo: after } = visitor;
  if (readTo <= after) return;
  try {
    const seen = { tenantId, visitorId, after, upTo: readTo, limit: maxReported };
    const partIds = await withTenant(deps.database, [tenantId], (tx) => listPartsUpTo(tx, seen));
    const happenedAt = new Date().toISOString();
    const reports = partIds.map((partId) => ({
      eventId: `read:${partId}`,
      status: { platformChatId: visitorId, platformMessageId: partId, state: 'read' as const, happenedAt },
    }));
    if (reports.length > 0) await deps.receive(endpoint, reports);
    await withTenant(deps.database, [tenantId], (tx) => noteReadTo(tx, { tenantId, visitorId, readTo }));
  } catch (error) {
    deps.log.warn({ err: error, tenantId }, 'could not note what a visitor has read');
  }
}
