import type { PolicyRefusal } from '@botyard/shared/auth/caller';
import { baseId, baseSet } from './base-set.ts';
import { type Cedar, demandParsed, loadCedar, type Request, schemaName } from './cedar.ts';
import { schemaText } from './schema.ts';

export interface OwnPolicy {
  policyId: string;
  name: string;
  text: string;
}

/** The enabled policies of a tenant as they stood at one moment. */
export interface PolicySet {
  tenantId: string;
  /** Differs whenever any of them does. */
  revision: string;
  policies: readonly OwnPolicy[];
}

export type Verdict = { isAllowed: true } | ({ isAllowed: false } & Omit<PolicyRefusal, 'tenantId'>);

export interface PolicyEngine {
  /** The revision of a tenant's set that is at hand. */
  revisionOf(tenantId: string): string | undefined;
  /** Parses a tenant's set in the place of what was at hand of it. A set that doesn't parse refuses everything. */
  keep(set: PolicySet): void;
  /** Decides by the built-in set and the tenant's that was kept last. Never throws: what can't be decided is refused. */
  decide(tenantId: string, request: Request): Verdict;
  /** Decides by the built-in set alone. */
  decideByBase(request: Request): Verdict;
}

const mostSlots = 64;
const baseSlot = 'base';

/**
 * Cedar behind one door. Its instance keeps what was parsed for ever, under names: sets take turns in a fixed number of
 * names, the one that was used least recently goes first. Whatever is not a plain, faultless `allow` is a refusal: Cedar
 * skips a `forbid` that fails, and would then allow.
 */
export function createPolicyEngine({ slots = mostSlots, load = loadCedar } = {}): PolicyEngine {
  const kept = new Map<string, { slot: string; set: PolicySet; isFaulty: boolean }>();
  let cedar: Cedar | undefined;
  const instance = (): Cedar => {
    cedar ??= begin(load());
    return cedar;
  };
  /** An instance that has trapped is of no use any more, and what was parsed in it is gone with it. */
  const abandon = () => {
    cedar = undefined;
    kept.clear();
  };
  const guarded = <Result>(work: () => Result, otherwise: Result): Result => {
    try {
      return work();
    } catch {
      abandon();
      return otherwise;
    }
  };
  const takeSlot = (tenantId: string): string => {
    const own = kept.get(tenantId)?.slot;
    if (own !== undefined || kept.size < slots) return own ?? `slot ${kept.size}`;
    const [oldest, { slot } = { slot: '' }] = kept.entries().next().value ?? [];
    kept.delete(oldest ?? '');
    return slot;
  };
  return {
    revisionOf: (tenantId) => kept.get(tenantId)?.set.revision,
    keep: (set) =>
      guarded(() => {
        const { preparsePolicySet } = instance();
        const slot = takeSlot(set.tenantId);
        kept.delete(set.tenantId);
        const parsed = preparsePolicySet(slot, { staticPolicies: { ...baseTexts, ...textsOf(set) } });
        kept.set(set.tenantId, { slot, set, isFaulty: parsed.type === 'failure' });
      }, undefined),
    decide: (tenantId, request) =>
      guarded(() => {
        const found = kept.get(tenantId);
        if (!found || found.isFaulty) return failed([]);
        kept.delete(tenantId);
        kept.set(tenantId, found);
        return decideIn(instance(), found.slot, request, found.set);
      }, failed([])),
    decideByBase: (request) => guarded(() => decideIn(instance(), baseSlot, request), failed([])),
  };
}

function begin(cedar: Cedar): Cedar {
  demandParsed(cedar.preparseSchema(schemaName, schemaText));
  demandParsed(cedar.preparsePolicySet(baseSlot, { staticPolicies: baseTexts }));
  return cedar;
}

const baseTexts: Readonly<Record<string, string>> = Object.fromEntries(
  baseSet.map(({ name, text }) => [baseId(name), text]),
);

const textsOf = ({ policies }: PolicySet): Record<string, string> =>
  Object.fromEntries(policies.map(({ policyId, text }) => [policyId, text]));

const failed = (policies: string[]): Verdict => ({ isAllowed: false, reason: 'policy failed', policies });

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
