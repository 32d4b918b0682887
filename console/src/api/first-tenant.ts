import type { Schema } from '@botyard/client/client';

type Me = Pick<Schema<'CurrentUser'>, 'activeTenantId' | 'tenants' | 'responds'>;

export const whoAmI = '/api/current-user';

/** The tenant that the console opens when none is chosen: the active one, or the first that the caller belongs to. */
export const firstTenantOf = ({ activeTenantId, tenants, responds = [] }: Me): string | null =>
  activeTenantId ?? (tenants[0] ?? responds[0])?.tenantId ?? null;

/** The caller's role in a tenant. Somebody without one may answer the chats of some of its bots. */
export function roleIn({ tenants, responds = [] }: Me, tenantId: string | null) {
  const role = tenants.find((one) => one.tenantId === tenantId)?.role;
  return role ?? (responds.some((one) => one.tenantId === tenantId) ? 'responder' : null);
}
