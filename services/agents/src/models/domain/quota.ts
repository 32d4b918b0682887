import { unavailable } from '@botyard/shared/http/errors';
import type { ResolvedKey } from '../../clients/keys.ts';
import type { QuotaQuestion } from '../../clients/usage.ts';
import type { AgentDefinitionRow } from '../../definitions/store/agent-definitions.ts';
import type { Deps } from '../../deps.ts';
import type { Cause } from './cause.ts';
import type { TokenBudget } from './token-budget.ts';

/** A reservation's time beyond the turn's deadline: reading, storing, and the transport of its event. */
const holdLongerMs = 60_000;
/** How long a message waits for others' reservations to be released. */
const maxWaitMs = 30_000;

/** The fields of an answered message that determine its reservation. */
interface MessageOfTurn {
  messageId: string;
  createdAt: Date;
}

/** The reason why no model may be asked now. */
export type QuotaRefusal = Extract<Cause, 'quota exhausted' | 'allowance used up' | 'rate limited'>;

/**
 * Reserves the most that the calls of one question may use, before a key of this source is used; `undefined` when they
 * may be made. @throws HttpError 503 when the usage service doesn't answer: no call is ever unmetered.
 */
export type Reserve = (source: ResolvedKey['source']) => Promise<QuotaRefusal | undefined>;

/**
 * Reserves once for all calls of a question, and once more when a key of the platform replaces the tenant's own. If
 * only others' reservations are in the way, it is `rate limited`.
 */
export function createReserve(deps: Pick<Deps, 'usage'>, question: Omit<QuotaQuestion, 'keyOwner'>): Reserve {
  const covered = new Set<'tenant' | 'platform'>();
  return async (source) => {
    const keyOwner = source === 'platform' ? 'platform' : 'tenant';
    if (covered.has(keyOwner)) return undefined;
    const answer = await deps.usage.reserve({ ...question, keyOwner });
    if (answer.granted) {
      // A reservation for the platform's key covers the tenant's own, too.
      covered.add(keyOwner).add('tenant');
      return undefined;
    }
    if (answer.platformKey === 'used_up') return 'allowance used up';
    return answer.exceeded.length > 0 ? 'quota exhausted' : 'rate limited';
  };
}

/**
 * For the model calls of a turn, with the same reservation for all its attempts. While others' reservations fill the
 * limits, the turn is postponed as in an outage, for half a minute. @throws HttpError 503 then, too.
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

/** The first message of a turn is in all its attempts, and in no other turn. */
export const reservationOf = (turn: readonly MessageOfTurn[]): string | undefined => turn[0]?.messageId;
