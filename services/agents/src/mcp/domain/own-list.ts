import { withTenant } from '@botyard/shared/db/database';
import { isUnavailable } from '@botyard/shared/http/errors';
import { LRUCache } from 'lru-cache';
import { readTools, VisitError } from '../clients/server-visit.ts';
import { getGrant } from '../store/server-grants.ts';
import type { ServerRow } from '../store/servers.ts';
import { openAddress } from './authorization.ts';
import { pinTool } from './definition.ts';
import { boundedTtl, maxListAgeMs, maxServerTools, type RefreshDeps, unlessRepeated } from './refresh.ts';
import { UnusableTool } from './unusable-tool.ts';

/** The pins of the tools that a server lists for one grant. */
type OwnPins = ReadonlyMap<string, string>;

/** About 50 MB: it is only read again after that. */
const maxPinsKept = 300_000;
const pinsByGrant = new LRUCache<string, OwnPins>({
  maxSize: maxPinsKept,
  sizeCalculation: (pins) => pins.size + 1,
});

interface Wanted {
  server: ServerRow;
  name: string;
  pin: string;
}

/**
 * A server may list other tools for a person than for the admin who decided. The tool has to be the same for them.
 * Their list is read again like the tenant's, and before an approved call. @throws UnusableTool.
 */
export async function requireSameForPerson(
  deps: RefreshDeps,
  { server, name, pin }: Wanted,
  { personId, isApproved }: { personId: string; isApproved: boolean },
): Promise<void> {
  const grant = await withTenant(deps.database, [server.tenantId], (tx) =>
    getGrant(tx, { ...server, personId }),
  );
  if (!grant || grant.issuer !== server.issuer)
    throw new UnusableTool('unlinked', 'the person has not connected their account to this server');
  const kept = isApproved ? undefined : pinsByGrant.get(grant.grantId);
  const pins = kept ?? (await readOwnPins(deps, server, { personId, grantId: grant.grantId }));
  const ownPin = pins.get(name);
  if (ownPin === undefined)
    throw new UnusableTool('gone', 'the server does not offer this tool to the person');
  if (ownPin !== pin)
    throw new UnusableTool('gone', 'for this person the tool is another one than an admin has allowed');
}

async function readOwnPins(
  deps: RefreshDeps,
  server: ServerRow,
  { personId, grantId }: { personId: string; grantId: string },
): Promise<OwnPins> {
  try {
    const { tools, ttlMs } = await deps.visits.run(server.tenantId, async () =>
      readTools(deps.egress, await openAddress(deps, server, personId), { maxTools: maxServerTools }),
    );
    const usable = unlessRepeated(tools.map(pinTool)).filter(({ refusal }) => refusal === null);
    const pins = new Map(usable.map(({ name, pin }) => [name, pin]));
    pinsByGrant.set(grantId, pins, { ttl: boundedTtl(ttlMs) ?? maxListAgeMs });
    return pins;
  } catch (error) {
    if (isUnavailable(error))
      throw new UnusableTool('away', 'the server could not be read', { cause: error });
    if (!(error instanceof VisitError)) throw error;
    throw error.fault === 'unauthorized'
      ? new UnusableTool('unlinked', error.message, { cause: error })
      : new UnusableTool('away', error.message, { cause: error });
  }
}
