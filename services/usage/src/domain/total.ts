import type { CounterSums } from '../store/counters.ts';

/** Sums of counters. The cost covers the priced parts, and is null when there are none. */
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
