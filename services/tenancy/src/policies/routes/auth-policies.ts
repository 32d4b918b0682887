import type { authPolicyRoutes, Policy } from '@botyard/contracts/http/auth-policies';
import { withMoments } from '@botyard/contracts/http/common';
import type { Router } from '@botyard/contracts/http/contract';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { baseSet } from '../domain/base-set.ts';
import { createPolicy, deletePolicy, updatePolicy } from '../domain/policies.ts';
import { schemaText } from '../domain/schema.ts';
import { getPolicy, listPolicies, type PolicyRow } from '../store/policies.ts';

/** The part of `/api/auth` that is about policies. */
export const authPolicyHandlers: Handlers<Router<typeof authPolicyRoutes>, Deps> = {
  listPolicies: tenantPage(listPolicies, toPolicy, ({ policyId }) => policyId),

  createPolicy: async ({ tenantId, caller, body }, deps) =>
    toPolicy(await createPolicy(deps, { tenantId, createdBy: caller.userId }, body)),

  validatePolicy: async ({ tenantId, body }, { tryPolicy }) => {
    const { issues, warnings } = await tryPolicy({ tenantId, text: body.text, others: [] });
    return { valid: issues.length === 0, issues, warnings };
  },

  listBasePolicies: async () => [...baseSet],

  getPolicySchema: async () => ({ schema: schemaText }),

  getPolicy: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      toPolicy(found(await getPolicy(tx, { tenantId, policyId: params.policyId }), 'policy')),
    ),

  updatePolicy: async ({ tenantId, params, body }, deps) =>
    toPolicy(await updatePolicy(deps, { tenantId, policyId: params.policyId }, body)),

  deletePolicy: ({ tenantId, params }, deps) => deletePolicy(deps, { tenantId, policyId: params.policyId }),
};

function toPolicy({ isEnabled: enabled, ...row }: PolicyRow): Policy {
  return withMoments({ ...row, enabled });
}
