import { createContext, useContext } from 'react';

/** The acting user and the tenant. Both are in the address, so each browser tab has its own. */
export interface Acting {
  /** One of the sandbox's people; `null` for the development admin or the signed-in user. */
  as: string | null;
  tenantId: string | null;
  /**
   * The role in the tenant. An operator can open tenants in which they have none. A `responder` has none either, and
   * works in the inbox of some bots.
   */
  role: 'admin' | 'member' | 'responder' | null;
  isOperator: boolean;
  userId: string | null;
}

/** The acting user before the tenant is known. */
export const nowhere: Acting = { as: null, tenantId: null, role: null, isOperator: false, userId: null };

/** User and tenant of the next request. The shell sets it before any page is shown. */
export const acting: Acting = { ...nowhere };

export const ActingContext = createContext<Acting>(acting);
export const useActing = (): Acting => useContext(ActingContext);

/** True if the caller may change what the page shows: responders see only their chats. Members may only read. */
export function useMayChange(): boolean {
  const { role, isOperator } = useActing();
  return isOperator || role !== 'member';
}

/** True if the caller sees the tenant, and not only the chats of some of its bots. */
export function useSeesTenant(): boolean {
  const { tenantId, role, isOperator } = useActing();
  return tenantId !== null && (isOperator || role !== 'responder');
}
