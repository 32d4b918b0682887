import type { ShadowCall } from '@botyard/contracts/http/definitions-agent-releases';
import canonicalize from 'canonicalize';
import type { ToolEnd, ToolStandIn } from '../../answering/domain/loop/call-tools.ts';
import type { TurnUse, UsedCall } from '../../recordings/domain/turn-recording.ts';
import { handOver } from '../../tools/domain/run-tool.ts';

/** Answers the calls of a candidate from those that the live version has made. No tool runs. */
export class LiveCalls {
  readonly calls: ShadowCall[] = [];
  /** The tools whose calls would wait for an approval. */
  readonly approvals: string[] = [];
  readonly #ends: ReadonlyMap<string, UsedCall>;

  constructor(calls: TurnUse['calls']) {
    // The first of two calls with the same arguments counts.
    this.#ends = new Map(calls.map((call) => [keyOf(call.name, call.arguments), call] as const).reverse());
  }

  get areComparable(): boolean {
    return this.calls.every(({ isComparable }) => isComparable);
  }

  readonly answer: ToolStandIn = (tool, input) => {
    const { name } = tool.offered;
    const liveCall = this.#ends.get(keyOf(name, input));
    const isComparable = liveCall !== undefined || tool.kind === 'hand_over';
    this.calls.push({ name, arguments: input, isComparable });
    if (tool.kind === 'hand_over') return { outcome: 'ok', ...handOver(input) };
    const end: ToolEnd = liveCall
      ? { outcome: liveCall.outcome, text: liveCall.result }
      : { outcome: 'refused', text: 'this tool cannot be used now' };
    if (end.outcome === 'waiting') this.approvals.push(name);
    return end;
  };
}

export const keyOf = (name: string, input: unknown): string => `${name} ${canonicalize(input) ?? ''}`;
