import type { CreatePolicyBody, UpdatePolicyBody } from '@botyard/contracts/http/auth-policies';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, invalid, notFound, unprocessable } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import {
  countPolicies,
  deletePolicy as deletePolicyRow,
  type EnabledPolicy,
  getPolicy,
  insertPolicy,
  listEnabledPolicies,
  type PolicyRow,
  updatePolicy as updatePolicyRow,
} from '../store/policies.ts';
import { announcing } from './announcing.ts';
import type { Finding } from './examine.ts';
import { setLimits } from './limits.ts';
import { findSetExcess } from './weigh.ts';

interface PolicyKey {
  tenantId: string;
  policyId: string;
}

/**
 * @throws HttpError 400 with the faults of the text, 409 for a taken name or when the limit is reached, 422 when the
 * enabled policies exceed their limits together, 503 as `TryPolicy`.
 */
export async function createPolicy(
  deps: Deps,
  { tenantId, createdBy }: { tenantId: string; createdBy: string },
  { enabled: isEnabled, ...body }: CreatePolicyBody,
): Promise<PolicyRow> {
  const policyId = uuidv7();
  const policy = { ...body, policyId };
  await requireValid(deps, tenantId, { policy, isEnabled });
  return await announcing(deps, tenantId, async (tx) => {
    if ((await countPolicies(tx, tenantId)) >= setLimits.policies) {
      throw conflict(`a tenant can have at most ${setLimits.policies} policies: delete one first`);
    }
    if (isEnabled) await requireSmallEnough(tx, tenantId, policy);
    return await insertPolicy(tx, { ...policy, tenantId, isEnabled, createdBy });
  });
}

/** Changes the fields in the body. @throws HttpError 400, 409, 422, 503 as `createPolicy`, 404. */
export async function updatePolicy(deps: Deps, key: PolicyKey, body: UpdatePolicyBody): Promise<PolicyRow> {
  const { enabled: isEnabled, ...rest } = body;
  const mayDecideOtherwise = body.text !== undefined || isEnabled === true;
  if (mayDecideOtherwise) await requireValidChange(deps, key, body);
  return await announcing(deps, key.tenantId, async (tx) => {
    const before = mayDecideOtherwise ? await getPolicy(tx, key) : undefined;
    const row = found(await updatePolicyRow(tx, key, { ...rest, isEnabled }), 'policy');
    if (before && row.isEnabled) await requireSmallEnough(tx, key.tenantId, row, before);
    return row;
  });
}

/** @throws HttpError 404. */
export async function deletePolicy(deps: Deps, key: PolicyKey): Promise<void> {
  await announcing(deps, key.tenantId, async (tx) => {
    if (!(await deletePolicyRow(tx, key))) throw notFound('policy');
  });
}

/** Unchanged text is not examined again: it may be older than the limits. */
async function requireValidChange(
  deps: Deps,
  key: PolicyKey,
  { name, text, enabled }: UpdatePolicyBody,
): Promise<void> {
  const { tenantId, policyId } = key;
  const row = found(await withTenant(deps.database, [tenantId], (tx) => getPolicy(tx, key)), 'policy');
  const policy = { policyId, name: name ?? row.name, text: text ?? row.text };
  const isEnabled = enabled ?? row.isEnabled;
  if (policy.text !== row.text || (isEnabled && !row.isEnabled))
    await requireValid(deps, tenantId, { policy, isEnabled });
}

/** The text is examined together with the other enabled policies, before anything is locked. */
async function requireValid(
  { database, tryPolicy }: Deps,
  tenantId: string,
  { policy, isEnabled }: { policy: EnabledPolicy; isEnabled: boolean },
): Promise<void> {
  const others = isEnabled
    ? await withTenant(database, [tenantId], (tx) => listOthers(tx, tenantId, policy.policyId))
    : [];
  const { issues, decisionMs } = await tryPolicy({ tenantId, text: policy.text, others: textsOf(others) });
  if (issues.length > 0) throw invalid(issues.map(toIssue));
  if (decisionMs > setLimits.decisionMs) {
    throw unprocessable(
      `with the policy "${policy.name}" a decision takes ${Math.ceil(decisionMs)} ms, and at most ` +
        `${setLimits.decisionMs} ms are allowed: shorten its lists and patterns, or disable policies that are not needed`,
    );
  }
}

/** An issue has no field for a position, so its message says it. */
const toIssue = ({ path, message, line, column }: Finding) => ({
  path: [path],
  message: line === undefined ? message : `line ${line}, column ${column}: ${message}`,
});

/** Limits the enabled policies together. A change that makes them smaller is allowed. */
async function requireSmallEnough(
  tx: TenantTx,
  tenantId: string,
  policy: EnabledPolicy,
  before?: PolicyRow,
): Promise<void> {
  const others = await listOthers(tx, tenantId, policy.policyId);
  const excess = findSetExcess([...others, policy], before?.isEnabled ? [...others, before] : others);
  if (excess) throw unprocessable(excess);
}

const listOthers = async (tx: TenantTx, tenantId: string, policyId: string): Promise<EnabledPolicy[]> =>
  (await listEnabledPolicies(tx, tenantId)).filter((other) => other.policyId !== policyId);

const textsOf = (policies: readonly EnabledPolicy[]): string[] => policies.map(({ text }) => text);
