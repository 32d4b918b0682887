import type { UserIdentity } from '@botyard/contracts/identity';

export type Role = 'admin' | 'member';
/** The basis of access to a tenant. */
export type Relation = Role | 'operator';

/** A relationship with one bot that exceeds the role in its tenant. */
interface BotTie {
  readonly tenantId: string;
  readonly role: Role;
}

/** An authenticated person as the tenancy service knows them. */
export interface Caller {
  readonly userId: string;
  readonly idpUserId: string;
  readonly sessionId: string;
  readonly email: string | null;
  readonly isOperator: boolean;
  /** Role per tenant, including those from groups. */
  readonly roles: ReadonlyMap<string, Role>;
  /** Relationships with single bots, by the bot's identifier. */
  readonly bots: ReadonlyMap<string, BotTie>;
  /** Tenants of the bots whose chats the person may answer, by the bot's identifier. */
  readonly responds: ReadonlyMap<string, string>;
  /** Reachable tenants that have their own policies. The tenancy service decides about each action there. */
  readonly policedTenantIds: ReadonlySet<string>;
  /**
   * Tenants that the person was added to and hasn't visited yet. A request that names one has to reach the tenancy
   * service.
   */
  readonly unvisitedTenantIds: ReadonlySet<string>;
  /** The tenant for routes without a tenant in the path (REQ-ACCESS-2). */
  readonly activeTenantId: string | null;
  /** The organization in the session's token; passed only to the tenancy service. */
  readonly org?: UserIdentity['org'] | undefined;
}

/** The place of an action, and the basis of the caller's access there. */
export interface Place {
  readonly tenantId: string;
  readonly botId: string | null;
  readonly relation: Relation;
}

/** A request for the policies to decide (REQ-ACCESS-1: relationships first, then policies). */
export interface AccessQuestion {
  readonly caller: Pick<Caller, 'userId' | 'idpUserId' | 'isOperator'>;
  readonly action: 'read' | 'manage';
  readonly places: readonly Place[];
  readonly request: RequestFacts;
}

/** Attributes of a request as policies see them. */
export interface RequestFacts {
  /** The client's address, as the gateway established it. */
  readonly address: string;
  /** The router's base path without `/api/`. */
  readonly router: string;
  readonly method: string;
}

/** The refusal of an action in a tenant, with the policies that decided it. */
export interface PolicyRefusal {
  readonly tenantId: string;
  /** Names of the policies that decided; for `policy failed`, those that could not be evaluated. */
  readonly policies: readonly string[];
  readonly reason: 'policy' | 'policy failed';
}

export interface ResolveOptions {
  /** Bypasses cached answers. */
  fresh: boolean;
  /** The one tenant that the caller names; if absent, everything within the caller's reach counts. */
  pathTenantId?: string | undefined;
}

/**
 * A service's source for what callers may reach. The tenancy service reads its own tables; other services ask it over
 * the bus.
 */
export interface CallerDirectory {
  /**
   * Returns `null` if the person was deleted. A cached answer is at most 30 s old, and is
   * invalidated as soon as the bus reports a change.
   */
  resolve(
    identity: UserIdentity,
    options: ResolveOptions,
  ): Promise<{ caller: Caller | null; isFresh: boolean }>;
  tenantExists(tenantId: string): Promise<boolean>;
  /**
   * The places where policies refuse now; never cached.
   * @throws HttpError 503 without an answer.
   */
  decide(question: AccessQuestion): Promise<readonly PolicyRefusal[]>;
}

export function administeredTenantIds(caller: Caller): string[] {
  return [...caller.roles].filter(([, role]) => role === 'admin').map(([tenantId]) => tenantId);
}

/** The identity with which a signed-in person is looked up again. */
export const identityOf = ({ idpUserId, sessionId, isOperator, org }: Caller): UserIdentity => ({
  kind: 'user',
  idpUserId,
  sessionId,
  isOperator,
  org,
});
