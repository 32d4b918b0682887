import { accessChanged, authorizationChanged } from '@botyard/contracts/events/tenancy';
import type { UserIdentity } from '@botyard/contracts/identity';
import { LRUCache } from 'lru-cache';
import { watch } from '../bus/broadcast.ts';
import type { Bus } from '../bus/bus.ts';
import type { Caller, ResolveOptions } from './caller.ts';

const rememberedMs = 30_000;

/**
 * Cache of resolved callers. Entries expire after 30 s and are invalidated as soon as a change is announced
 * (REQ-REL-14: a revocation holds within 1 s, or within 30 s while the bus is down).
 */
export class RememberedCallers {
  readonly #callers = new LRUCache<string, Caller>({ max: 10_000, ttl: rememberedMs });
  /** Counts announced changes. A response that was in flight during a change may predate it and isn't cached. */
  #changes = 0;

  constructor(bus: Bus) {
    const onGap = () => this.#forget(() => true);
    watch(bus, accessChanged, { onEvent: (change) => this.onAccessChanged(change), onGap });
    watch(bus, authorizationChanged, { onEvent: (change) => this.onAuthorizationChanged(change), onGap });
  }

  async resolve(
    identity: UserIdentity,
    { fresh, pathTenantId }: ResolveOptions,
    find: () => Promise<Caller | null>,
  ): Promise<{ caller: Caller | null; isFresh: boolean }> {
    const key = keyOf(identity);
    const cachedCaller = fresh ? undefined : this.#callers.get(key);
    if (cachedCaller && !isFirstVisit(cachedCaller, pathTenantId))
      return { caller: cachedCaller, isFresh: false };
    const changesBefore = this.#changes;
    const caller = await find();
    if (caller && this.#changes === changesBefore) this.#callers.set(key, caller);
    return { caller, isFresh: true };
  }

  onAccessChanged({ idpUserId }: { idpUserId: string }): void {
    this.#forget((caller) => caller.idpUserId === idpUserId);
  }

  onAuthorizationChanged({ tenantId }: { tenantId: string }): void {
    this.#forget((caller) => isRelated(caller, tenantId));
  }

  #forget(isMeant: (caller: Caller) => boolean): void {
    this.#changes += 1;
    for (const [key, caller] of this.#callers.entries()) if (isMeant(caller)) this.#callers.delete(key);
  }
}

/** A cached answer isn't enough: the tenancy service has to record the visit. */
const isFirstVisit = ({ unvisitedTenantIds }: Caller, tenantId: string | undefined): boolean =>
  tenantId !== undefined && unvisitedTenantIds.has(tenantId);

const isRelated = ({ roles, bots, responds, policedTenantIds }: Caller, tenantId: string): boolean =>
  roles.has(tenantId) ||
  policedTenantIds.has(tenantId) ||
  [...bots.values()].some((tie) => tie.tenantId === tenantId) ||
  [...responds.values()].includes(tenantId);

function keyOf(identity: UserIdentity): string {
  return JSON.stringify([
    identity.idpUserId,
    identity.sessionId,
    identity.org?.id,
    identity.org?.role,
    identity.isOperator,
  ]);
}
