import { LRUCache } from 'lru-cache';
import { watch } from '../bus/broadcast.ts';
import type { Bus } from '../bus/bus.ts';
import { ask } from '../bus/requests.ts';
import {
  accessChanged,
  authorizationChanged,
  decideAccess,
  type ResolvedCaller,
  resolveCaller,
  tenantExists,
} from '../events/tenancy.ts';
import type { Caller, CallerDirectory } from './caller.ts';
import type { UserIdentity } from './identity.ts';

const rememberedMs = 30_000;

/**
 * Callers as the tenancy service tells them, remembered for 30 s and dropped at once when it announces a change
 * (reliability, rule 14: a revocation holds from 1 s on, within 30 s while the bus is down). What policies say is asked
 * each time.
 */
export function createRemoteCallers(bus: Bus): CallerDirectory {
  const remembered = new LRUCache<string, Caller>({ max: 10_000, ttl: rememberedMs });
  // An answer that was under way when a change was announced may be from before it: such a one isn't remembered.
  let changes = 0;
  const forget = (isMeant: (caller: Caller) => boolean) => {
    changes += 1;
    for (const [key, caller] of remembered.entries()) if (isMeant(caller)) remembered.delete(key);
  };
  const onGap = () => forget(() => true);
  watch(bus, accessChanged, {
    onEvent: ({ idpUserId }) => forget((caller) => caller.idpUserId === idpUserId),
    onGap,
  });
  watch(bus, authorizationChanged, {
    onEvent: ({ tenantId }) => forget((caller) => isRelated(caller, tenantId)),
    onGap,
  });
  return {
    resolve: async (identity, { fresh }) => {
      const key = keyOf(identity);
      const known = fresh ? undefined : remembered.get(key);
      if (known) return { caller: known, isFresh: false };
      const changesBefore = changes;
      const { caller: found } = await ask(bus, resolveCaller, { identity });
      if (!found) return { caller: null, isFresh: true };
      const caller = toCaller(found);
      if (changes === changesBefore) remembered.set(key, caller);
      return { caller, isFresh: true };
    },
    tenantExists: async (tenantId) => (await ask(bus, tenantExists, { tenantId })).exists,
    decide: async ({ caller: { userId, idpUserId, isOperator }, action, places, request }) => {
      const asked = { caller: { userId, idpUserId, isOperator }, action, places: [...places], request };
      return (await ask(bus, decideAccess, asked)).refusals;
    },
  };
}

const isRelated = ({ roles, bots, policedTenantIds }: Caller, tenantId: string): boolean =>
  roles.has(tenantId) ||
  policedTenantIds.has(tenantId) ||
  [...bots.values()].some((tie) => tie.tenantId === tenantId);

/** An answer of before there were groups and policies has none. */
function toCaller({ roles, bots = [], policedTenantIds = [], ...rest }: ResolvedCaller): Caller {
  return {
    ...rest,
    roles: new Map(roles.map(({ tenantId, role }) => [tenantId, role])),
    bots: new Map(bots.map(({ botId, ...tie }) => [botId, tie])),
    policedTenantIds: new Set(policedTenantIds),
  };
}

function keyOf(identity: UserIdentity): string {
  return JSON.stringify([
    identity.idpUserId,
    identity.sessionId,
    identity.org?.id,
    identity.org?.role,
    identity.isOperator,
  ]);
}
