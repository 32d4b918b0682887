import { unavailable } from '@botyard/shared/http/errors';
import type { ResolvedKey } from '../../clients/keys.ts';
import type { QuotaQuestion } from '../../clients/usage.ts';
import type { AgentDefinitionRow } from '../../definitions/store/agent-definitions.ts';
import type { Deps } from '../../deps.ts';
import type { Cause } from './cause.ts';
import type { TokenBudget } from './token-budget.ts';

/** What a turn holds beyond its own deadline: reading, storing, and the way of its event. */
const holdLongerMs = 60_000;
/** How long a message waits for others to give back what they reserved. */
const maxWaitMs = 30_000;

/** Of a message that is being answered, what its reservation is made of. */
interface MessageOfTurn {
  messageId: string;
  createdAt: Date;
}

/** Why no model may be asked now. */
export type QuotaRefusal = Extract<Cause, 'quota exhausted' | 'allowance used up' | 'rate limited'>;

/**
 * Sets aside what the calls of one question may use, before a key of this source is used; `undefined` when they may be made.
 * @throws HttpError 503 when the usage service doesn't answer: nothing is ever asked unmetered.
 */
export type Reserve = (source: ResolvedKey['source']) => Promise<QuotaRefusal | undefined>;

/**
 * Asks the usage service once for all calls of a question, and once more when a key of the platform takes the place of the
 * tenant's own. What only others' reservations hold back is `rate limited`.
 */
export function createReserve(deps: Pick<Deps, 'usage'>, question: Omit<QuotaQuestion, 'keyOwner'>): Reserve {
  const covered = new Set<'tenant' | 'platform'>();
  return async (source) => {
    const keyOwner = source === 'platform' ? 'platform' : 'tenant';
    if (covered.has(keyOwner)) return undefined;
    const answer = await deps.usage.reserve({ ...question, keyOwner });
    if (answer.granted) {
      // A reservation for the platform's key does for the tenant's own, too.
      covered.add(keyOwner).add('tenant');
      return undefined;
    }
    if (answer.platformKey === 'used_up') return 'allowance used up';
    return answer.exceeded.length > 0 ? 'quota exhausted' : 'rate limited';
  };
}

/**
 * For the model calls of a turn, the same reservation for all its tries. While others' reservations fill what is left, the turn
 * is put off like in an outage, for half a minute. @throws HttpError 503 then, too.
 */
export function createReserveOfTurn(
  deps: Deps,
  turn: readonly MessageOfTurn[],
  call: { botId: string; agent: AgentDefinitionRow; budget: TokenBudget; nowMs: () => number },
): Reserve {
  const { botId, agent, budget, nowMs } = call;
  const [first] = turn;
  if (!first) return async () => undefined;
  const reserve = createReserve(deps, {
    tenantId: agent.tenantId,
    reservationId: first.messageId,
    botId,
    agentId: agent.id,
    provider: agent.provider,
    model: agent.model,
    estimate: budget.estimate,
    holdMs: deps.config.MODEL_TIMEOUT_MS + holdLongerMs,
  });
  return async (source) => {
    const refusal = await reserve(source);
    if (refusal !== 'rate limited' || nowMs() - first.createdAt.getTime() > maxWaitMs) return refusal;
    throw unavailable('others are using what is left of the quota');
  };
}

/** The first message of a turn is in all its tries, and in no other turn. */
export const reservationOf = (turn: readonly MessageOfTurn[]): string | undefined => turn[0]?.messageId;
