import type { DataOf } from '@botyard/shared/bus/definition';
import type { turnCompleted } from '@botyard/shared/events/agents';
import { dayOf } from './period.ts';

/** What one turn adds to the counters of its tenant, day, bot, agent, provider, model and key source. */
export interface Increment {
  tenantId: string;
  /** `YYYY-MM-DD`, the UTC day on which the turn ended. */
  day: string;
  botId: string;
  agentId: string | null;
  provider: string | null;
  model: string | null;
  keySource: DataOf<typeof turnCompleted>['keySource'];
  messages: number;
  inputTokens: number;
  outputTokens: number;
  toolCalls: number;
}

/** Only answered messages count as messages (decisions 7); tokens and tool calls count however the turn ended. */
export function toIncrement(turn: DataOf<typeof turnCompleted>): Increment {
  const { tenantId, botId, agentId, provider, model, keySource, inputTokens, outputTokens, toolCalls } = turn;
  return {
    tenantId,
    day: dayOf(new Date(turn.completedAt)),
    botId,
    agentId,
    provider,
    model,
    keySource,
    messages: turn.outcome === 'answered' ? 1 : 0,
    inputTokens,
    outputTokens,
    toolCalls,
  };
}

/** A command, or an apology before the model was called, has nothing to count. */
export function usesSomething({ messages, inputTokens, outputTokens, toolCalls }: Increment): boolean {
  return messages + inputTokens + outputTokens + toolCalls > 0;
}
