import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AccessQuestion, Place, PolicyRefusal } from '@botyard/shared/auth/caller';
import type { Database } from '@botyard/shared/db/database';
import type { Log } from '@botyard/shared/log/log';
import { type CurrentPolicies, readPolicies } from '../store/current-policies.ts';
import type { Request } from './cedar.ts';
import { createPolicyEngine, failed, type PolicyEngine, type PolicySet, type Verdict } from './engine.ts';
import { LargeSets } from './large-sets.ts';
import { hasLongFact, type MessageFacts, toAccessRequest, toMessageRequest } from './requests.ts';
import { type SetSize, sizeOf } from './weigh.ts';

/** A message of several people of one chat to one bot. */
type MessageQuestion = Omit<MessageFacts, 'bot' | 'sender'> & {
  botId: string;
  senders: readonly MessageFacts['sender'][];
};

interface MessageRefusal extends Omit<PolicyRefusal, 'tenantId'> {
  platformUserId: string;
}

/** Decisions of policies by the current tables: an outdated set is never used. */
export interface PolicyDecisions {
  /**
   * The places where policies refuse. Omitted facts default to the current ones. @throws HttpError 503 when a tenant
   * has too many pending decisions.
   */
  decideAccess(question: AccessQuestion & { now?: Date | undefined }): Promise<PolicyRefusal[]>;
  /** The refused senders. @throws HttpError 503 */
  decideMessages(question: MessageQuestion): Promise<readonly MessageRefusal[]>;
  close(): Promise<void>;
}

interface Parts {
  database: Database;
  log: Pick<Log, 'warn'>;
  now?: () => Date;
  engine?: PolicyEngine;
  largeSets?: Pick<LargeSets, 'decide' | 'close'>;
}

export function createPolicyDecisions({
  database,
  log,
  now = () => new Date(),
  engine = createPolicyEngine(),
  largeSets = new LargeSets({ log }),
}: Parts): PolicyDecisions {
  const policySets = new KnownSets(log);
  const decideOne = async ({ set, size }: KnownSet, request: Request): Promise<Verdict> => {
    if (size === 'too large' || hasLongFact(request)) return failed([]);
    return size === 'large' ? await largeSets.decide(set, request) : engine.decide(set, request);
  };
  const decide = async (
    place: Pick<Place, 'tenantId' | 'botId'>,
    toRequests: (current: CurrentPolicies) => Request[],
  ): Promise<Verdict[] | undefined> => {
    const { tenantId } = place;
    const last = policySets.get(tenantId);
    const current = await readPolicies(database, place, last?.set.revision);
    const { revision, policies } = current;
    if (revision === null) return undefined;
    const set = policies ? policySets.keep({ tenantId, revision, policies }) : last;
    const verdicts: Verdict[] = [];
    for (const request of toRequests(current)) {
      // With many senders, other work can run between two decisions.
      if (verdicts.length > 0) await nextTurn();
      verdicts.push(set ? await decideOne(set, request) : failed([]));
    }
    return verdicts;
  };
  return {
    decideAccess: async (question) => {
      const refusals: PolicyRefusal[] = [];
      const at = question.now ?? now();
      for (const place of question.places) {
        const [verdict] =
          (await decide(place, ({ bot }) => [toAccessRequest(question, place, { bot, now: at })])) ?? [];
        if (verdict && !verdict.isAllowed) refusals.push(refusalOf(place.tenantId, verdict));
      }
      return refusals;
    },
    decideMessages: async ({ senders, botId, ...message }) => {
      const at = now();
      const verdicts = await decide({ tenantId: message.tenantId, botId }, ({ bot }) =>
        senders.map((sender) =>
          toMessageRequest({ ...message, sender, bot: bot ?? { botId, name: null, isEnabled: null } }, at),
        ),
      );
      return (verdicts ?? []).flatMap((verdict, index) => {
        const sender = senders[index];
        if (verdict.isAllowed || !sender) return [];
        const { reason, policies } = verdict;
        return [{ platformUserId: sender.platformUserId, reason, policies }];
      });
    },
    close: () => largeSets.close(),
  };
}

const refusalOf = (tenantId: string, verdict: Exclude<Verdict, { isAllowed: true }>): PolicyRefusal => ({
  tenantId,
  reason: verdict.reason,
  policies: verdict.policies,
});

interface KnownSet {
  set: PolicySet;
  size: SetSize;
}

const maxKnown = 64;

/** Caches the sets that were read last, so that only their revision has to be read. */
class KnownSets {
  readonly #sets = new Map<string, KnownSet>();
  readonly #log: Pick<Log, 'warn'>;

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log;
  }

  get(tenantId: string): KnownSet | undefined {
    const knownSet = this.#sets.get(tenantId);
    if (knownSet) this.#put(knownSet);
    return knownSet;
  }

  keep(set: PolicySet): KnownSet {
    const size = sizeOf(set.policies.map(({ text }) => text));
    if (size === 'too large') {
      const { tenantId } = set;
      this.#log.warn({ tenantId }, "a tenant's policies are too large: requests that need them are refused");
    }
    // The texts of a set that is too large aren't needed.
    const knownSet = { size, set: size === 'too large' ? { ...set, policies: [] } : set };
    this.#put(knownSet);
    return knownSet;
  }

  #put(knownSet: KnownSet): void {
    this.#sets.delete(knownSet.set.tenantId);
    this.#sets.set(knownSet.set.tenantId, knownSet);
    const [oldest] = this.#sets.keys();
    if (this.#sets.size > maxKnown && oldest !== undefined) this.#sets.delete(oldest);
  }
}
