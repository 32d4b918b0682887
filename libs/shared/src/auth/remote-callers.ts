import { LRUCache } from 'lru-cache';
import { watch } from '../bus/broadcast.ts';
import type { Bus } from '../bus/bus.ts';
import { ask } from '../bus/requests.ts';
import { accessChanged, resolveCaller, tenantExists } from '../events/tenancy.ts';
import type { Caller, CallerDirectory } from './caller.ts';
import type { UserIdentity } from './identity.ts';

const rememberedMs = 30_000;

/**
 * Callers as the tenancy service tells them, remembered for 30 s and dropped at once when it announces a change
 * (reliability, rule 14: a revocation holds from 1 s on, within 30 s while the bus is down).
 */
export function createRemoteCallers(bus: Bus): CallerDirectory {
  const remembered = new LRUCache<string, Caller>({ max: 10_000, ttl: rememberedMs });
  // An answer that was under way when a change was announced may be from before it: such a one isn't remembered.
  let changes = 0;
  watch(bus, accessChanged, {
    onEvent: ({ idpUserId }) => {
      changes += 1;
      for (const [key, caller] of remembered.entries())
        if (caller.idpUserId === idpUserId) remembered.delete(key);
    },
    onGap: () => {
      changes += 1;
      remembered.clear();
    },
  });
  return {
    resolve: async (identity, { fresh }) => {
      const key = keyOf(identity);
      const known = fresh ? undefined : remembered.get(key);
      if (known) return { caller: known, isFresh: false };
      const changesBefore = changes;
      const { caller: found } = await ask(bus, resolveCaller, { identity });
      if (!found) return { caller: null, isFresh: true };
      const caller = { ...found, roles: new Map(found.roles.map(({ tenantId, role }) => [tenantId, role])) };
      if (changes === changesBefore) remembered.set(key, caller);
      return { caller, isFresh: true };
    },
    tenantExists: async (tenantId) => (await ask(bus, tenantExists, { tenantId })).exists,
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
