import type { RecordedCall, Recording } from '@botyard/contracts/http/evaluations-cases';
import { toolKinds } from '@botyard/contracts/http/tool-kinds';
import canonicalize from 'canonicalize';
import type { ToolEnd, ToolStandIn } from '../../answering/domain/loop/call-tools.ts';
import { describeMoment } from '../../tools/domain/current-time.ts';
import type { EquippedTool } from '../../tools/domain/equipment.ts';
import { handOver } from '../../tools/domain/run-tool.ts';

/** A call that the model made. */
export interface MadeCall {
  name: string;
  arguments: unknown;
  outcome: ToolEnd['outcome'];
}

/** Tools that only compute, search among the agent's own tools, or add choices to the answer. */
const runsAsUsual: ReadonlySet<EquippedTool['kind']> = new Set([
  'calculator',
  'find_tools',
  'offer_choices',
] as const);

/** Answers the calls of one answer from the recording of a case. */
export class RecordedTools {
  readonly calls: MadeCall[] = [];
  /** Calls that the recording doesn't have. */
  readonly unrecorded: MadeCall[] = [];
  /** The documents of the passages that were used. */
  readonly citedSourceIds = new Set<string>();
  readonly #recording: Recording;
  readonly #documents: 'recorded' | 'current';
  readonly #ends: ReadonlyMap<string, RecordedCall>;

  constructor(recording: Recording, documents: 'recorded' | 'current') {
    this.#recording = recording;
    this.#documents = documents;
    // The first of two calls with the same arguments counts.
    this.#ends = new Map(
      recording.tools.map((call) => [keyOf(call.name, call.arguments), call] as const).reverse(),
    );
  }

  readonly answer: ToolStandIn = (tool, input) => {
    const { name } = tool.offered;
    const end = this.#endOf(tool, input);
    this.calls.push({ name, arguments: input, outcome: end?.outcome ?? 'ok' });
    return end;
  };

  #endOf(tool: EquippedTool, input: unknown): ToolEnd | undefined {
    const { name } = tool.offered;
    if (tool.kind === 'hand_over') return { outcome: 'ok', ...handOver(input) };
    const recordedCall = this.#ends.get(keyOf(name, input));
    if (recordedCall) return { outcome: recordedCall.outcome, text: recordedCall.result };
    if (runsAsUsual.has(tool.kind)) return undefined;
    if (tool.kind === 'search_context') return this.#documents === 'current' ? undefined : this.#passages();
    const time = tool.kind === 'current_time' ? this.#timeFor(tool, input) : undefined;
    if (time) return time;
    this.unrecorded.push({ name, arguments: input, outcome: 'refused' });
    return { outcome: 'refused', text: 'the recording of this test case does not have this call' };
  }

  #passages(): ToolEnd {
    const { passages } = this.#recording;
    for (const { sourceId } of passages) if (sourceId !== undefined) this.citedSourceIds.add(sourceId);
    const lines = passages.map(({ title, text }, index) => `[${index + 1}] ${title}\n${text}`);
    return { outcome: 'ok', text: lines.join('\n\n') || 'Nothing was found. Try other words.' };
  }

  #timeFor(tool: EquippedTool, input: unknown): ToolEnd | undefined {
    const { now } = this.#recording;
    const parameters = toolKinds.current_time.parameters.safeParse(input);
    const settings = toolKinds.current_time.settings.safeParse('settings' in tool ? tool.settings : {});
    if (now === null || !parameters.success || !settings.success) return undefined;
    const timeZone = parameters.data.timeZone ?? settings.data.timeZone;
    return { outcome: 'ok', text: describeMoment(new Date(now), timeZone) };
  }
}

const keyOf = (name: string, input: unknown): string => `${name} ${canonicalize(input) ?? ''}`;
