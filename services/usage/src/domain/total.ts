import type { CounterSums } from '../store/counters.ts';

/** Sums of counters. The cost is that of what has a price, and null when nothing has. */
export function totalOf(parts: readonly CounterSums[]): CounterSums {
  const sum = (name: keyof CounterSums) => parts.reduce((total, part) => total + (part[name] ?? 0), 0);
  return {
    messages: sum('messages'),
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    toolCalls: sum('toolCalls'),
    costMicroUsd: parts.every(({ costMicroUsd }) => costMicroUsd === null) ? null : sum('costMicroUsd'),
    unpricedTurns: sum('unpricedTurns'),
  };
}
