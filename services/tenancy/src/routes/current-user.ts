import type { currentUserRouter } from '@botyard/shared/contracts/current-user';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';

export const currentUserHandlers: Handlers<typeof currentUserRouter, Deps> = {
  getCurrentUser: async ({ caller }) => ({
    userId: caller.userId,
    idpUserId: caller.idpUserId,
    email: caller.email,
    isOperator: caller.isOperator,
    activeTenantId: caller.activeTenantId,
    tenants: [...caller.roles].map(([tenantId, role]) => ({ tenantId, role })),
  }),
};
