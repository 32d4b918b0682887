import type { tenantRouter } from '@botyard/contracts/http/tenant';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { selectTenant } from '../domain/tenants.ts';

export const tenantHandlers: Handlers<typeof tenantRouter, Deps> = {
  selectTenant: async ({ caller, body }, deps) => {
    await selectTenant(deps, caller, body.tenantId);
    return { activeTenantId: body.tenantId };
  },
};
