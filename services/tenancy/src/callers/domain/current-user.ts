import type { CurrentUser } from '@botyard/contracts/http/current-user';
import type { Caller } from '@botyard/shared/auth/caller';

/** A person in the form in which the API shows them to themselves. */
export const toCurrentUser = (caller: Caller): CurrentUser => ({
  userId: caller.userId,
  idpUserId: caller.idpUserId,
  email: caller.email,
  isOperator: caller.isOperator,
  activeTenantId: caller.activeTenantId,
  tenants: [...caller.roles].map(([tenantId, role]) => ({ tenantId, role })),
  ...(caller.responds.size > 0 && {
    responds: [...caller.responds].map(([botId, tenantId]) => ({ botId, tenantId })),
  }),
});
