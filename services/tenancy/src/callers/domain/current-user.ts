import type { CurrentUser } from '@botyard/contracts/http/current-user';
import type { UserIdentity } from '@botyard/contracts/identity';
import type { Caller } from '@botyard/shared/auth/caller';

/** A person as the API tells them about themselves. */
export const toCurrentUser = (caller: Caller): CurrentUser => ({
  userId: caller.userId,
  idpUserId: caller.idpUserId,
  email: caller.email,
  isOperator: caller.isOperator,
  activeTenantId: caller.activeTenantId,
  tenants: [...caller.roles].map(([tenantId, role]) => ({ tenantId, role })),
});

/** By which a person who was let in is looked up again. */
export const identityOf = ({ idpUserId, sessionId, isOperator, org }: Caller): UserIdentity => ({
  kind: 'user',
  idpUserId,
  sessionId,
  isOperator,
  org,
});
