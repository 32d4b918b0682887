import { unavailable } from '@botyard/shared/http/errors';
import type { ResolvedKey } from '../../clients/keys.ts';
import type { QuotaQuestion } from '../../clients/usage.ts';
import type { Deps } from '../deps.ts';
import type { Cause } from './cause.ts';
import type { TokenBudget } from './token-budget.ts';

/**
 * How much longer a reservation lasts than the turn's deadline, for reading, storing, and the transport of its event.
 */
const holdLongerMs = 60_000;
/** The longest time that a message waits for others' reservations to be released. */
const maxWaitMs = 30_000;

/** The fields of an answered message that determine its reservation. */
interface MessageOfTurn {
  messageId: string;
  createdAt: Date;
}

/** The reason why no model may be called now. */
type QuotaRefusal = Extract<Cause, 'quota exhausted' | 'allowance used up' | 'rate limited' | 'no key'>;

/**
 * Reserves the most that the calls of one question may use, before a key of this source is used. Resolves with
 * `undefined` when the calls may be made. @throws HttpError 503 when the usage service doesn't answer, so that no call
 * is unmetered.
 */
export type Reserve = (source: ResolvedKey['source']) => Promise<QuotaRefusal | undefined>;

/**
 * Reserves once for all calls of a question, and again when a key of the platform replaces the tenant's own. If only
 * others' reservations prevent the call, the result is `rate limited`.
 */
export function createReserve(deps: Pick<Deps, 'usage'>, question: Omit<QuotaQuestion, 'keyOwner'>): Reserve {
  const covered = new Set<'tenant' | 'platform'>();
  return async (source) => {
    const keyOwner = source === 'platform' ? 'platform' : 'tenant';
    if (covered.has(keyOwner)) return undefined;
    const answer = await deps.usage.reserve({ ...question, keyOwner });
    if (answer.granted) {
      // A reservation for the platform's key also covers the tenant's own.
      covered.add(keyOwner).add('tenant');
      return undefined;
    }
    if (answer.platformKey === 'used_up') return 'allowance used up';
    return answer.exceeded.length > 0 ? 'quota exhausted' : 'rate limited';
  };
}

interface PayingAgent {
  tenantId: string;
  id: string;
  provider: QuotaQuestion['provider'];
  model: string;
}

/**
 * The same for the model calls of a turn, with one reservation for all its attempts. While others' reservations fill
 * the limits, the turn is postponed as in an outage, for at most half a minute. @throws HttpError 503 in that case,
 * too.
 */
export function createReserveOfTurn(
  deps: Deps,
  turn: readonly MessageOfTurn[],
  call: { botId: string; agent: PayingAgent; budget: TokenBudget; nowMs: () => number },
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
    throw unavailable('calls in progress have reserved the rest of the quota: try again later');
  };
}

/** The first message of a turn is part of all its attempts, and of no other turn. */
export const reservationOf = (turn: readonly MessageOfTurn[]): string | undefined => turn[0]?.messageId;
