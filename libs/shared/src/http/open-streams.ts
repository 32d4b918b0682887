import { type Share, SharedBudget } from '../work/shared-budget.ts';

export const maxStreamsOfCaller = 20;

/** How many a process has, a tenant's people together, and a person. */
interface Limits {
  max: number;
  maxOfTenant: number;
  maxOfCaller: number;
  /** Kept for tenants that have few. */
  reserve: number;
  maxOfTenantFromReserve: number;
  /** Name of the streams in messages, in the plural. */
  what: string;
}

const usualLimits: Limits = {
  max: 5000,
  maxOfTenant: 1000,
  maxOfCaller: maxStreamsOfCaller,
  reserve: 500,
  maxOfTenantFromReserve: 20,
  what: 'event streams',
};

/**
 * Counts open server-sent event streams. They are endless, so their number is limited, by shares: neither a person nor
 * all people of a tenant can take those of others.
 */
export class OpenStreams {
  readonly #limits: Limits;
  readonly #budget: SharedBudget;

  constructor(limits: Limits = usualLimits) {
    this.#limits = limits;
    this.#budget = new SharedBudget(limits);
  }

  get count(): number {
    return this.#budget.total;
  }

  /**
   * Returns a function to call at the stream's end. Callers without a tenant share one tenant's part.
   * @throws HttpError 503 for too many streams of the caller, of the tenant or in total.
   */
  open(caller: string, tenantId: string | null | undefined): () => void {
    const { maxOfCaller, maxOfTenant, maxOfTenantFromReserve } = this.#limits;
    const shares: Share[] = [
      { owner: `caller ${caller}`, max: maxOfCaller },
      { owner: `tenant ${tenantId ?? 'none'}`, max: maxOfTenant, maxFromReserve: maxOfTenantFromReserve },
    ];
    return this.#budget.take(shares);
  }
}
