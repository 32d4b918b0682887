import { SharedBudget } from '@botyard/shared/work/shared-budget';

/** The open streams of a process, and a part of them for tenants that have few. */
const ofProcess = { max: 4000, reserve: 500, what: 'open chats' };
/** A visitor's tabs and devices; an office behind one address; a tenant's visitors. */
const most = { ofVisitor: 6, ofAddress: 400, ofTenant: 1500, ofTenantFromReserve: 50 };

interface Holder {
  tenantId: string;
  visitorId: string;
  /** The visitor's network. */
  address: string;
}

/** Counts open streams, so that no visitor, address or tenant takes those of others. */
export class StreamShares {
  readonly #budget = new SharedBudget(ofProcess);

  /** Returns the function to call at the stream's end. @throws HttpError 503 beyond a share. */
  open({ tenantId, visitorId, address }: Holder): () => void {
    return this.#budget.take([
      { owner: `visitor ${visitorId}`, max: most.ofVisitor },
      { owner: `address ${tenantId} ${address}`, max: most.ofAddress },
      { owner: `tenant ${tenantId}`, max: most.ofTenant, maxFromReserve: most.ofTenantFromReserve },
    ]);
  }
}
