import type {
  superadminTenantsRouter,
  superadminUsersRouter,
} from '@botyard/contracts/http/superadmin-tenants';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { findTenantAllowance, setTenantAllowance } from '../domain/allowance.ts';
import { readPersonLimits, readTenantLimits, setPersonLimits, setTenantLimits } from '../domain/limits.ts';

export const superadminTenantsHandlers: Handlers<typeof superadminTenantsRouter, Deps> = {
  getAllowance: ({ params }, deps) => findTenantAllowance(deps, params.tenantId),
  setAllowance: ({ params, body }, deps) => setTenantAllowance(deps, params.tenantId, body),
  getLimits: ({ params }, deps) => readTenantLimits(deps, params.tenantId),
  setLimits: ({ params, body }, deps) => setTenantLimits(deps, params.tenantId, body),
};

export const superadminUsersHandlers: Handlers<typeof superadminUsersRouter, Deps> = {
  getPersonLimits: ({ params }, deps) => readPersonLimits(deps, params.userId),
  setPersonLimits: ({ params, body }, deps) => setPersonLimits(deps, params.userId, body),
};
