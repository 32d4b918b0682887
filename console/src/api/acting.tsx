import { consolePaths } from '@botyard/contracts/console-paths';
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

interface RememberedToken {
  token: string;
  endsAt: number;
}
/** True if the caller sees the tenant, and not only the chats of some of its bots. */
export function useSeesTenant(): boolean {
  const { tenantId, role, isOperator } = useActing();
  return tenantId !== null && (isOperator || role !== 'responder');
}

const tokens = new Map<string, RememberedToken>();
const renewBeforeMs = 60_000;

/** A session token, kept in memory only. */
export async function tokenOf(as: string | null): Promise<string | null> {
  if (as === null) return (await window.Clerk?.session?.getToken()) ?? null;
  const cachedToken = tokens.get(as);
  if (cachedToken && cachedToken.endsAt > Date.now() + renewBeforeMs) return cachedToken.token;
  const response = await fetch(consolePaths.session, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userId: as }),
  });
  if (!response.ok)
    throw new Error(
      `No session for ${as}: the gateway returned ${response.status}. Choose another person, or restart the sandbox.`,
    );
  const { token, expiresInSeconds } = (await response.json()) as { token: string; expiresInSeconds: number };
  tokens.set(as, { token, endsAt: Date.now() + expiresInSeconds * 1000 });
  return token;
}
