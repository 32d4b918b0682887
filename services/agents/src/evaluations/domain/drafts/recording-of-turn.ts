import type { RecordedCall, Recording } from '@botyard/contracts/http/evaluations-cases';
import type { CaseDraft } from '@botyard/contracts/http/evaluations-drafts';
import type { TenantTx } from '@botyard/shared/db/database';
import { tryParseForeignJson } from '@botyard/shared/json/parse-json';
import type { TurnRecording, UsedCall, UsedPassage } from '../../../recordings/domain/turn-recording.ts';
import { type AnsweredTurn, kindsOfTools, textsOfChunks } from '../../store/draft-sources.ts';

type Missing = CaseDraft['missing'];

/** The recording of a case, without replacements, and what it lacks. */
interface DraftedRecording {
  recording: Recording;
  missing: Missing;
}

/** Tools that a test answers by itself: from the passages and the clock, or by running them. */
const answeredByItself: ReadonlySet<string | null> = new Set([
  'search_context',
  'current_time',
  'calculator',
  'find_tools',
  'hand_over',
  'offer_choices',
  null,
]);
const maxCalls = 50;
const maxPassages = 20;

const outcomes: Readonly<Record<UsedCall['outcome'], RecordedCall['outcome']>> = {
  ok: 'ok',
  failed: 'failed',
  refused: 'refused',
  waiting: 'waiting',
  uncertain: 'failed',
  'not run in a trial': 'refused',
};

/** The recording of a case, of what its turn kept. */
export function recordingOf({ calls, passages, now, isCut }: TurnRecording): DraftedRecording {
  const recordedCalls = calls.filter(({ kind }) => !answeredByItself.has(kind)).slice(0, maxCalls);
  const once = new Map(passages.map((passage) => [`${passage.sourceId} ${passage.text}`, passage]));
  const cutCalls = recordedCalls.flatMap(
    ({ name, isCut: isCallCut }, at): Missing =>
      isCallCut ? [{ place: `recording.tools.${at}.result`, tool: name, reason: 'cut' }] : [],
  );
  const rest: Missing =
    isCut && cutCalls.length === 0 ? [{ place: 'recording', tool: '', reason: 'cut' }] : [];
  return {
    recording: {
      tools: recordedCalls.map(toRecordedCall),
      passages: [...once.values()].slice(0, maxPassages),
      now,
    },
    missing: [...cutCalls, ...rest],
  };
}

const toRecordedCall = ({ name, arguments: input, outcome, result }: UsedCall): RecordedCall => ({
  name,
  arguments: isRecord(input) ? input : {},
  outcome: outcomes[outcome],
  result,
});

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Longer arguments and results are cut in a trace. */
const wholeBelowUnits = 1000;

/** The recording of a case, of the trace of an answer that kept nothing: what was cut there is missing. */
export async function recordingOfTrace(tx: TenantTx, turn: AnsweredTurn): Promise<DraftedRecording> {
  const { tenantId, toolCalls, context } = turn;
  const toolIds = toolCalls.flatMap(({ toolId, server }) => (toolId && !server ? [toolId] : []));
  const kinds = await kindsOfTools(tx, tenantId, toolIds);
  const calls = toolCalls.filter(
    ({ toolId, server }) =>
      toolId !== null && !answeredByItself.has(server ? 'external' : (kinds.get(toolId) ?? 'external')),
  );
  const citations = context?.citations ?? [];
  const texts = await textsOfChunks(
    tx,
    tenantId,
    citations.map(({ chunkId }) => chunkId),
  );
  const passages = citations.slice(0, maxPassages).map(
    ({ sourceId, chunkId, title, heading }): UsedPassage => ({
      sourceId,
      title: heading ? `${title}, ${heading}` : title,
      text: texts.get(chunkId) ?? '',
    }),
  );
  const missingOf = (at: number, field: string, tool: string): Missing[number] => ({
    place: `recording.${field === 'text' ? 'passages' : 'tools'}.${at}.${field}`,
    tool,
    reason: 'not kept',
  });
  const tools = calls.slice(0, maxCalls).map((call) => {
    const input = tryParseForeignJson(call.arguments);
    const isWhole = call.result.length < wholeBelowUnits;
    return { call, input, result: isWhole ? call.result : '', isWhole };
  });
  return {
    recording: {
      tools: tools.map(({ call, input, result }) =>
        toRecordedCall({ name: call.name, kind: null, arguments: input, outcome: call.outcome, result }),
      ),
      passages: passages.filter(({ text }) => text !== ''),
      now: new Date(turn.createdAt.getTime() - turn.durationMs).toISOString(),
    },
    missing: [
      ...tools.flatMap(({ call, input }, at) =>
        isRecord(input) ? [] : [missingOf(at, 'arguments', call.name)],
      ),
      ...tools.flatMap(({ call, isWhole }, at) => (isWhole ? [] : [missingOf(at, 'result', call.name)])),
      ...passages
        .filter(({ text }) => text === '')
        .map(({ title }, at) => missingOf(passages.length - 1 - at, 'text', title)),
    ],
  };
}
