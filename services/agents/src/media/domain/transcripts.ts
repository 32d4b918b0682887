import type { Provider } from '@botyard/contracts/http/provider';
import { withTenant } from '@botyard/shared/db/database';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { AgentAtWork } from '../../definitions/store/agent-equipment.ts';
import { type Recording, tokensOfRecording } from '../../models/clients/transcribe.ts';
import { askApart } from '../../models/domain/ask-apart.ts';
import type { ModelOutcome } from '../../models/domain/ask-model.ts';
import type { Cause } from '../../models/domain/cause.ts';
import type { ReadMedia } from '../../store/stored-attachment.ts';
import type { Deps } from '../deps.ts';
import { saveReadMedia } from '../store/read-media.ts';
import { readObject } from './read-object.ts';

/** Kinds with speech. */
const spoken: ReadonlySet<string> = new Set(['voice', 'audio', 'video_note']);
const maxRecordings = 3;
const deadlineMs = 60_000;
/** Longer than a call takes: the reservation expires if the process dies. */
const holdMs = 120_000;
const maxOutputTokens = 4096;
const maxUnitsOfTranscript = 16_000;
/** Limits that get the chat the same message as for any other turn. */
const usedUp: ReadonlySet<Cause> = new Set<Cause>(['quota exhausted', 'allowance used up']);

type Turn = readonly SaidRow[];
interface Transcribed {
  turn: Turn;
  /** The reason why a recording was not transcribed. */
  refusal?: Cause | undefined;
}
type Words = Pick<ReadMedia, 'transcript' | 'transcribedBy' | 'isUnheard'>;
type Transcribing = Pick<ClaimedConversation, 'tenantId' | 'botId' | 'conversationId'>;

/**
 * Has the recordings of a turn transcribed, and stores the text with their messages, so that a retry doesn't pay again.
 * The call follows the rules of every model call: keys in their order, quota, limits, and it counts as use. If no
 * provider of the tenant or the platform can transcribe, the turn is unchanged. @throws as `askApart`.
 */
export async function withTranscripts(
  deps: Deps,
  conversation: Transcribing,
  { agents, turn }: { agents: readonly AgentAtWork[]; turn: Turn },
  signal: AbortSignal,
): Promise<Transcribed> {
  const [agent] = agents.filter(({ isEnabled }) => isEnabled);
  const recorded = turn.filter(isUnheard).slice(0, maxRecordings);
  if (!agent || recorded.length === 0) return { turn };
  const heard = new Map<string, ReadMedia>();
  let refusal: Cause | undefined;
  for (const { messageId, attachment } of recorded) {
    const read = attachment!.read!;
    // Releases the turn's slot, which others may use meanwhile.
    const result = await deps.releaseWhile(() =>
      deps.transcriptions.run(conversation.tenantId, () =>
        transcribe({ ...deps, releaseWhile: (wait) => wait() }, conversation, { agent, read }, signal),
      ),
    );
    if ('refusal' in result) ({ refusal } = result);
    else heard.set(messageId, { ...read, ...result });
  }
  const { tenantId } = conversation;
  const changed = [...heard].map(([messageId, read]) => ({ messageId, read }));
  await withTenant(deps.database, [tenantId], (tx) => saveReadMedia(tx, tenantId, changed));
  const transcribed = turn.map((row) => {
    const read = heard.get(row.messageId);
    return read && row.attachment ? { ...row, attachment: { ...row.attachment, read } } : row;
  });
  return { turn: transcribed, refusal };
}

const isUnheard = ({ attachment }: SaidRow): boolean =>
  spoken.has(attachment?.kind ?? '') &&
  attachment?.read?.state === 'kept' &&
  attachment.read.objectKey !== undefined &&
  attachment.read.transcript === undefined;

async function transcribe(
  deps: Deps,
  conversation: Transcribing,
  { agent, read }: { agent: AgentAtWork; read: ReadMedia },
  signal: AbortSignal,
): Promise<Words | { refusal: Cause }> {
  const bytes = await readObject(deps, read.objectKey ?? '');
  if (!bytes) return { isUnheard: true };
  const { mediaType = 'audio/ogg', name = 'recording.ogg' } = read;
  for (const { provider, model } of transcribersOf(deps)) {
    const transcription = { provider, model, agent, recording: { bytes, mediaType, name } };
    const outcome = await ask(deps, conversation, transcription, signal);
    if ('answer' in outcome) {
      const transcript = outcome.answer.text.slice(0, maxUnitsOfTranscript).toWellFormed().trim();
      const transcribedBy = `${provider}/${model}`;
      return transcript === '' ? { isUnheard: true } : { transcript, transcribedBy };
    }
    if (usedUp.has(outcome.failure)) return { refusal: outcome.failure };
    if (outcome.failure !== 'no key') return { isUnheard: true };
  }
  return {};
}

function transcribersOf({ config }: Pick<Deps, 'config'>): { provider: Provider; model: string }[] {
  const ofPrivate = config.PRIVATE_LLM_TRANSCRIPTION_MODEL;
  return [
    { provider: 'openai', model: config.TRANSCRIPTION_MODEL },
    ...(ofPrivate === undefined ? [] : [{ provider: 'private-llm' as const, model: ofPrivate }]),
  ];
}

async function ask(
  deps: Deps,
  { tenantId, botId, conversationId }: Transcribing,
  asked: { provider: Provider; model: string; agent: AgentAtWork; recording: Recording },
  signal: AbortSignal,
): Promise<ModelOutcome> {
  const { provider, model, agent, recording } = asked;
  const client = {
    ...deps.model,
    complete: (call: Parameters<typeof deps.model.transcribe>[0]) => deps.model.transcribe(call, recording),
  };
  return await askApart(
    { ...deps, model: client },
    {
      wanted: { tenantId, provider, model, botId, agentId: agent.id },
      conversationId,
      estimate: { inputTokens: tokensOfRecording(recording) * 2, outputTokens: maxOutputTokens },
      holdMs,
      question: {
        instructions: '',
        messages: [],
        tools: [],
        mustAnswer: true,
        maxOutputTokens,
        signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
      },
    },
  );
}
