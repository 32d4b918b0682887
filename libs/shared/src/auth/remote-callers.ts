import {
  decideAccess,
  type ResolvedCaller,
  resolveCaller,
  tenantExists,
} from '@botyard/contracts/events/tenancy';
import type { Bus } from '../bus/bus.ts';
import { ask } from '../bus/requests.ts';
import type { Caller, CallerDirectory } from './caller.ts';
import { RememberedCallers } from './remembered-callers.ts';
import { uuidOf } from './uuid.ts';

/** Callers from the tenancy service, cached. Policies are evaluated for each request. */
export function createRemoteCallers(bus: Bus): CallerDirectory {
  const remembered = new RememberedCallers(bus);
  return {
    resolve: (identity, options) =>
      remembered.resolve(identity, options, async () => {
        const { pathTenantId } = options;
        const { caller } = await ask(bus, resolveCaller, { identity, visitedTenantId: uuidOf(pathTenantId) });
        return caller && toCaller(caller);
      }),
    tenantExists: async (tenantId) => (await ask(bus, tenantExists, { tenantId })).exists,
    decide: async ({ caller, action, places, request }) => {
      const question = { caller, action, places: [...places], request };
      return (await ask(bus, decideAccess, question)).refusals;
    },
  };
}

/** Answers of older versions lack groups, policies and visits. */
function toCaller(caller: ResolvedCaller): Caller {
  const { roles, bots = [], responds = [], policedTenantIds = [], unvisitedTenantIds = [], ...rest } = caller;
  return {
    ...rest,
    roles: new Map(roles.map(({ tenantId, role }) => [tenantId, role])),
    bots: new Map(bots.map(({ botId, ...tie }) => [botId, tie])),
    responds: new Map(responds.map(({ botId, tenantId }) => [botId, tenantId])),
    policedTenantIds: new Set(policedTenantIds),
    unvisitedTenantIds: new Set(unvisitedTenantIds),
  };
}
