import { unavailable } from '@botyard/shared/http/errors';
import type { Deps } from '../../deps.ts';
import type { AgentDefinitionRow } from '../../store/definitions/agent-definitions.ts';
import type { MessageRow } from '../../store/messages.ts';
import type { TokenBudget } from '../loop/token-budget.ts';
import type { Cause } from './phrases.ts';

/** What a turn holds beyond its own deadline: reading, storing, and the way of its event. */
const holdLongerMs = 60_000;
/** How long a message waits for others to give back what they reserved. */
const mostWaitMs = 30_000;

/** Why no model may be asked now; `undefined` when it may. */
export type QuotaRefusal = Extract<Cause, 'quota exhausted' | 'rate limited'>;

/**
 * Sets aside what the model calls of a turn may use at most, once for all tries of the turn. While others' reservations
 * fill what is left of the quota, the turn is put off like in an outage, for half a minute. @throws HttpError 503 then,
 * and when the usage service doesn't answer: nothing is ever asked unmetered.
 */
export async function reserveQuota(
  deps: Deps,
  turn: readonly MessageRow[],
  call: { botId: string; agent: AgentDefinitionRow; budget: TokenBudget },
): Promise<QuotaRefusal | undefined> {
  const { botId, agent, budget } = call;
  const [first] = turn;
  if (!first) return undefined;
  const { granted, exceeded } = await deps.usage.reserve({
    tenantId: agent.tenantId,
    reservationId: first.messageId,
    botId,
    agentId: agent.id,
    provider: agent.provider,
    model: agent.model,
    estimate: budget.estimate,
    holdMs: deps.config.MODEL_TIMEOUT_MS + holdLongerMs,
  });
  if (granted) return undefined;
  if (exceeded.length > 0) return 'quota exhausted';
  if (Date.now() - first.createdAt.getTime() > mostWaitMs) return 'rate limited';
  throw unavailable('others are using what is left of the quota');
}

/** The first message of a turn is in all its tries, and in no other turn. */
export const reservationOf = (turn: readonly MessageRow[]): string | undefined => turn[0]?.messageId;
