import type { turnCompleted } from '@botyard/contracts/events/agents';
import type { DataOf } from '@botyard/contracts/events/definition';
import type { Use } from '../store/log-entries.ts';
import { dayOf } from './period.ts';
import type { CostOf } from './prices.ts';

/** A turn, or a summary between two turns. */
export type Turn = Omit<DataOf<typeof turnCompleted>, 'outcome'> & { outcome: Use['outcome'] };

/**
 * The use of one turn. Only answered messages count as messages (REQ-USAGE-1). Tokens and tool calls count however the
 * turn ended, on the UTC day on which it ended, at the price of that day.
 */
export function toUse(turn: Turn, costOf: CostOf): Use {
  const { tenantId, turnId, conversationId, botId, agentId, provider, model, keySource, keyId } = turn;
  const { agentVersion = null } = turn;
  const { outcome, inputTokens, outputTokens, toolCalls, isEstimated, durationMs } = turn;
  const completedAt = new Date(turn.completedAt);
  const day = dayOf(completedAt);
  const costMicroUsd = costOf({ provider, model, inputTokens, outputTokens, day });
  return {
    tenantId,
    turnId,
    conversationId,
    botId,
    agentId,
    agentVersion,
    provider,
    model,
    keySource,
    keyId,
    outcome,
    inputTokens,
    outputTokens,
    toolCalls,
    isEstimated,
    durationMs,
    completedAt: completedAt.toISOString(),
    day,
    messages: outcome === 'answered' ? 1 : 0,
    costMicroUsd,
    unpricedTurns: costMicroUsd === null ? 1 : 0,
  };
}

/** False for a command, or an apology before the model was called. */
export function usesSomething({ messages, inputTokens, outputTokens, toolCalls }: Use): boolean {
  return messages + inputTokens + outputTokens + toolCalls > 0;
}
