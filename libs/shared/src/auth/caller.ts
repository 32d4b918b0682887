import type { PrincipalIdentity, UserIdentity } from '@botyard/contracts/identity';

export type Role = 'admin' | 'member';
/** What lets somebody into a tenant. */
export type Relation = Role | 'operator';

/** A tie to one bot that goes beyond what its tenant gives. */
export interface BotTie {
  readonly tenantId: string;
  readonly role: Role;
}

/** An authenticated person as the tenancy service knows them, or a program with an API token. */
export interface Caller {
  /** Of a program the `tokenId`: no person has the same. */
  readonly userId: string;
  /** Of a program `token:<tokenId>`. */
  readonly idpUserId: string;
  /** Of a program the `tokenId`. */
  readonly sessionId: string;
  readonly email: string | null;
  readonly isOperator: boolean;
  /** Role per tenant, the ones that groups give included. */
  readonly roles: ReadonlyMap<string, Role>;
  /** Ties to single bots, by the bot's identifier. */
  readonly bots: ReadonlyMap<string, BotTie>;
  /** Tenants in reach that have policies of their own: what is done there is decided by the tenancy service each time. */
  readonly policedTenantIds: ReadonlySet<string>;
  /** Tenants that they were added to and have not come to yet: a request that names one has to be told to the tenancy service. */
  readonly unvisitedTenantIds: ReadonlySet<string>;
  /** The tenant that routes without a tenant in the path act in (REQ-ACCESS-2). */
  readonly activeTenantId: string | null;
  /** The organization that the session's token named; the tenancy service alone is told. */
  readonly org?: UserIdentity['org'] | undefined;
  /** The API token of a program; absent of a person. */
  readonly token?: { readonly tokenId: string; readonly expiresAt: string | null } | undefined;
}

/** By which logs name a caller. */
export const principalIdOf = ({ userId, idpUserId, token }: Caller): string => (token ? idpUserId : userId);

/** Where something is to be done, and what lets the caller in there. */
export interface Place {
  readonly tenantId: string;
  readonly botId: string | null;
  readonly relation: Relation;
}

/** What policies are asked of a request (REQ-ACCESS-1: relationships first, then policies). */
export interface AccessQuestion {
  readonly caller: Pick<Caller, 'userId' | 'idpUserId' | 'isOperator'> & {
    /** A program with an API token; absent of a person. */
    readonly isToken?: boolean | undefined;
  };
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

/** The policies that refuse an action in a tenant. */
export interface PolicyRefusal {
  readonly tenantId: string;
  /** Names of the policies that decided; for `policy failed` of those that could not be evaluated. */
  readonly policies: readonly string[];
  readonly reason: 'policy' | 'policy failed';
}

export interface ResolveOptions {
  /** Nothing remembered will do. */
  fresh: boolean;
  /** The one tenant that the caller names; without it what they reach matters as a whole. */
  pathTenantId?: string | undefined;
}

/** Where a service learns what a caller may reach. The tenancy service reads its tables, the others ask it over the bus. */
export interface CallerDirectory {
  /**
   * `null` when the person was deleted, or the token revoked. A remembered answer is at most 30 s old and dropped at once when the
   * bus tells of a change.
   */
  resolve(
    identity: PrincipalIdentity,
    options: ResolveOptions,
  ): Promise<{ caller: Caller | null; isFresh: boolean }>;
  tenantExists(tenantId: string): Promise<boolean>;
  /** The places where policies refuse, as they stand now: never remembered. @throws HttpError 503 when nobody answers. */
  decide(question: AccessQuestion): Promise<readonly PolicyRefusal[]>;
}

export function administeredTenantIds(caller: Caller): string[] {
  return [...caller.roles].filter(([, role]) => role === 'admin').map(([tenantId]) => tenantId);
}
