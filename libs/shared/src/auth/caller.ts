import type { UserIdentity } from './identity.ts';

export type Role = 'admin' | 'member';

/** An authenticated person as the tenancy service knows them. */
export interface Caller {
  readonly userId: string;
  readonly idpUserId: string;
  readonly sessionId: string;
  readonly email: string | null;
  readonly isOperator: boolean;
  /** Role per tenant. */
  readonly roles: ReadonlyMap<string, Role>;
  /** The tenant that routes without a tenant in the path act in (decisions 4). */
  readonly activeTenantId: string | null;
  /** The organization that the session's token named; the tenancy service alone is told. */
  readonly org?: UserIdentity['org'] | undefined;
}

/** Where a service learns what a caller may reach. The tenancy service reads its tables, the others ask it over the bus. */
export interface CallerDirectory {
  /**
   * `null` when the person was deleted. A remembered answer is at most 30 s old and dropped at once when the
   * bus tells of a change; `fresh` always asks.
   */
  resolve(
    identity: UserIdentity,
    options: { fresh: boolean },
  ): Promise<{ caller: Caller | null; isFresh: boolean }>;
  tenantExists(tenantId: string): Promise<boolean>;
}

export function administeredTenantIds(caller: Caller): string[] {
  return [...caller.roles].filter(([, role]) => role === 'admin').map(([tenantId]) => tenantId);
}
