import type { PolicyRefusal } from '@botyard/shared/auth/caller';
import { baseId, baseSet } from './base-set.ts';
import { type Cedar, loadCedar, type Request, requireParsed, schemaName } from './cedar.ts';
import { type PolicyRevision, RefusedSets } from './refused-sets.ts';
import { schemaText } from './schema.ts';

export interface OwnPolicy {
  policyId: string;
  name: string;
  text: string;
}

/** The enabled policies of a tenant at one moment. */
export interface PolicySet extends PolicyRevision {
  policies: readonly OwnPolicy[];
}

export type Verdict = { isAllowed: true } | ({ isAllowed: false } & Omit<PolicyRefusal, 'tenantId'>);

export interface PolicyEngine {
  /**
   * Decides by the built-in set and this one, which is parsed unless it was the tenant's last one. Never throws:
   * requests that can't be decided are refused.
   */
  decide(set: PolicySet, request: Request): Verdict;
  /** Decides by the built-in set alone. */
  decideByBase(request: Request): Verdict;
}

const maxSlots = 64;
const baseSlot = 'base';

/**
 * The only code that calls Cedar. Its instance keeps parsed sets forever, by name, so sets share a fixed number of
 * names; the least recently used one is replaced first. Anything except a plain `allow` without errors is a refusal:
 * Cedar skips a `forbid` that fails, and would then allow.
 */
export function createPolicyEngine({ slots = maxSlots, load = loadCedar } = {}): PolicyEngine {
  const parsed = new Map<string, { slot: string; revision: string; isFaulty: boolean }>();
  const broken = new RefusedSets();
  let cedar: Cedar | undefined;
  const instance = (): Cedar => {
    cedar ??= begin(load());
    return cedar;
  };
  /** An instance that has trapped is unusable, and its parsed sets are lost. */
  const abandon = () => {
    cedar = undefined;
    parsed.clear();
  };
  const takeSlot = (tenantId: string): string => {
    const own = parsed.get(tenantId)?.slot;
    if (own !== undefined || parsed.size < slots) return own ?? `slot ${parsed.size}`;
    const [oldest, { slot } = { slot: '' }] = parsed.entries().next().value ?? [];
    parsed.delete(oldest ?? '');
    return slot;
  };
  const parse = ({ tenantId, revision, policies }: PolicySet) => {
    const { preparsePolicySet } = instance();
    const slot = takeSlot(tenantId);
    parsed.delete(tenantId);
    const texts = Object.fromEntries(policies.map(({ policyId, text }) => [policyId, text]));
    const answer = preparsePolicySet(slot, { staticPolicies: { ...baseTexts, ...texts } });
    return { slot, revision, isFaulty: answer.type === 'failure' };
  };
  return {
    decide: (set, request) => {
      if (broken.has(set)) return failed([]);
      try {
        const last = parsed.get(set.tenantId);
        const entry = last?.revision === set.revision ? last : parse(set);
        parsed.delete(set.tenantId);
        parsed.set(set.tenantId, entry);
        return entry.isFaulty ? failed([]) : decideIn(instance(), entry.slot, request, set);
      } catch {
        // Not retried for each request: the next instance would trap, too, and every tenant's set would have to be
        // parsed again.
        broken.add(set);
        abandon();
        return failed([]);
      }
    },
    decideByBase: (request) => {
      try {
        return decideIn(instance(), baseSlot, request);
      } catch {
        abandon();
        return failed([]);
      }
    },
  };
}

function begin(cedar: Cedar): Cedar {
  requireParsed(cedar.preparseSchema(schemaName, schemaText));
  requireParsed(cedar.preparsePolicySet(baseSlot, { staticPolicies: baseTexts }));
  return cedar;
}

const baseTexts: Readonly<Record<string, string>> = Object.fromEntries(
  baseSet.map(({ name, text }) => [baseId(name), text]),
);

export const failed = (policies: readonly string[]): Verdict => ({
  isAllowed: false,
  reason: 'policy failed',
  policies,
});

function decideIn(cedar: Cedar, slot: string, request: Request, set?: PolicySet): Verdict {
  const answer = cedar.statefulIsAuthorized({
    ...request,
    preparsedSchemaName: schemaName,
    validateRequest: true,
    preparsedPolicySetId: slot,
  });
  const nameOf = (id: string) => set?.policies.find(({ policyId }) => policyId === id)?.name ?? id;
  if (answer.type !== 'success') return failed([]);
  const { decision, diagnostics } = answer.response;
  if (diagnostics.errors.length > 0)
    return failed(diagnostics.errors.map(({ policyId }) => nameOf(policyId)));
  if (decision === 'allow') return { isAllowed: true };
  return { isAllowed: false, reason: 'policy', policies: diagnostics.reason.map(nameOf) };
}
