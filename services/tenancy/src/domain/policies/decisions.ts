import type { AccessQuestion, Place, PolicyRefusal } from '@botyard/shared/auth/caller';
import type { Database } from '@botyard/shared/db/database';
import { type CurrentPolicies, readPolicies } from '../../store/authorization/current-policies.ts';
import type { Request } from './cedar.ts';
import { createPolicyEngine, type PolicyEngine, type Verdict } from './engine.ts';
import { type MessageFacts, toAccessRequest, toMessageRequest } from './requests.ts';

/** A message of several people of one chat to one bot. */
export type MessageQuestion = Omit<MessageFacts, 'bot' | 'sender'> & {
  botId: string;
  senders: readonly MessageFacts['sender'][];
};

export interface MessageRefusal extends Omit<PolicyRefusal, 'tenantId'> {
  platformUserId: string;
}

/** What policies say, by the tables as they stand at this moment: no instance ever decides by a set of before. */
export interface PolicyDecisions {
  /** The places where policies refuse. Facts that aren't given are those of now. */
  decideAccess(question: AccessQuestion & { now?: Date | undefined }): Promise<PolicyRefusal[]>;
  /** Whom of the senders policies refuse, and whether the tenant has policies of its own at all. */
  decideMessages(
    question: MessageQuestion,
  ): Promise<{ isPoliced: boolean; refusals: readonly MessageRefusal[] }>;
}

export function createPolicyDecisions(
  database: Database,
  { now = () => new Date(), engine = createPolicyEngine() }: { now?: () => Date; engine?: PolicyEngine } = {},
): PolicyDecisions {
  const decide = async (
    place: Pick<Place, 'tenantId' | 'botId'>,
    toRequests: (current: CurrentPolicies) => Request[],
  ): Promise<Verdict[] | undefined> => {
    const { tenantId } = place;
    let current = await readPolicies(database, place, engine.revisionOf(tenantId));
    // Another tenant may have taken the set's place while the answer was under way: then it is read whole.
    if (current.revision !== null && !current.policies && engine.revisionOf(tenantId) !== current.revision) {
      current = await readPolicies(database, place, undefined);
    }
    const { revision, policies } = current;
    if (revision === null) return undefined;
    if (policies) engine.keep({ tenantId, revision, policies });
    return toRequests(current).map((request) => engine.decide(tenantId, request));
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
      const refusals = (verdicts ?? []).flatMap((verdict, index) => {
        const sender = senders[index];
        if (verdict.isAllowed || !sender) return [];
        const { reason, policies } = verdict;
        return [{ platformUserId: sender.platformUserId, reason, policies }];
      });
      return { isPoliced: verdicts !== undefined, refusals };
    },
  };
}

const refusalOf = (tenantId: string, verdict: Exclude<Verdict, { isAllowed: true }>): PolicyRefusal => ({
  tenantId,
  reason: verdict.reason,
  policies: verdict.policies,
});
