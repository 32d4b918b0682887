import type { CreatePolicyBody, UpdatePolicyBody } from '@botyard/shared/contracts/auth-policies';
import { conflict, invalid, notFound } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import {
  countPolicies,
  deletePolicy as deletePolicyRow,
  insertPolicy,
  type PolicyChange,
  type PolicyRow,
  updatePolicy as updatePolicyRow,
} from '../../store/authorization/policies.ts';
import { announcing } from '../authorization/announcing.ts';

const mostPolicies = 100;

interface PolicyKey {
  tenantId: string;
  policyId: string;
}

/** @throws HttpError 400 with the faults of the text, 409 for a taken name or one policy too many, 503 as `TryPolicy`. */
export async function createPolicy(
  deps: Deps,
  { tenantId, createdBy }: { tenantId: string; createdBy: string },
  { enabled: isEnabled, ...body }: CreatePolicyBody,
): Promise<PolicyRow> {
  await requireValid(deps, body.text);
  return await announcing(deps, tenantId, async (tx) => {
    if ((await countPolicies(tx, tenantId)) >= mostPolicies) {
      throw conflict(`a tenant has ${mostPolicies} policies at most`);
    }
    return await insertPolicy(tx, { ...body, tenantId, isEnabled, createdBy, policyId: uuidv7() });
  });
}

/** Changes the fields that the body carries. @throws HttpError 400, 409, 503 as `createPolicy`, 404. */
export async function updatePolicy(deps: Deps, key: PolicyKey, body: UpdatePolicyBody): Promise<PolicyRow> {
  if (body.text !== undefined) await requireValid(deps, body.text);
  const { enabled: isEnabled, ...rest } = body;
  const change = Object.fromEntries(
    Object.entries({ ...rest, isEnabled }).filter(([, value]) => value !== undefined),
  ) as PolicyChange;
  return await announcing(deps, key.tenantId, async (tx) => {
    const row = await updatePolicyRow(tx, key, change);
    if (!row) throw notFound('policy');
    return row;
  });
}

/** @throws HttpError 404. */
export async function deletePolicy(deps: Deps, { tenantId, policyId }: PolicyKey): Promise<void> {
  await announcing(deps, tenantId, async (tx) => {
    if (!(await deletePolicyRow(tx, tenantId, policyId))) throw notFound('policy');
  });
}

async function requireValid({ tryPolicy }: Deps, text: string): Promise<void> {
  const { issues } = await tryPolicy(text);
  if (issues.length > 0) throw invalid(issues.map((issue) => ({ ...issue, path: [issue.path] })));
}
