import type { Assertion } from '@botyard/contracts/http/evaluations-cases';
import type { CaseDraft, DraftBody } from '@botyard/contracts/http/evaluations-drafts';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { unprocessable } from '@botyard/shared/http/errors';
import { withQuotation } from '../../../answering/domain/question/quotation.ts';
import { inSequence } from '../../../answering/store/turn-view.ts';
import type { SaidRow } from '../../../conversations/store/messages.ts';
import { isNotice } from '../../../conversations/store/notice-positions.ts';
import type { TurnRecording } from '../../../recordings/domain/turn-recording.ts';
import { getRecording } from '../../../recordings/store/recordings.ts';
import { handedOver } from '../../../tools/domain/run-tool.ts';
import type { Deps } from '../../deps.ts';
import { type AnsweredTurn, getAnsweredTurn, listPeopleOf, listSession } from '../../store/draft-sources.ts';
import type { KnownPerson } from './known-people.ts';
import { recordingOf, recordingOfTrace } from './recording-of-turn.ts';
import { replaceInDraft } from './replace-draft.ts';

/**
 * Makes a case of an answer in a chat, with placeholders for personal data. Stores nothing. @throws HttpError 404 for
 * a message that isn't in the chat, 422 for one that no agent answered with.
 */
export async function draftCase(
  deps: Pick<Deps, 'database' | 'recordingKeys' | 'log'>,
  tenantId: string,
  source: DraftBody,
): Promise<CaseDraft> {
  const { turn, people, session, ...read } = await withTenant(deps.database, [tenantId], async (tx) => {
    const { turn, place, platform } = found(await getAnsweredTurn(tx, { tenantId, ...source }), 'answer');
    const session = inSequence(await listSession(tx, turn)).reverse();
    const people = await listPeopleOf(tx, tenantId, turn.conversationId);
    const sealed = await getRecording(tx, turn);
    const kept = sealed && (await openRecording(deps, sealed));
    const drafted = kept ? recordingOf(kept) : await recordingOfTrace(tx, turn);
    return { turn, people: knownPeople(people, session, { place, platform }), session, kept, drafted };
  });
  const { agentId } = turn;
  if (agentId === null || turn.deliveries.length === 0)
    throw unprocessable('the message is no answer of an agent, or was erased');
  const messages = messagesOf(turn, session, read.kept);
  if (messages.at(-1)?.role !== 'user') throw unprocessable('the answer has no question that is still there');
  const answer = session.find(({ messageId }) => messageId === turn.replyId)?.text ?? '';
  const replaced = replaceInDraft({ answer, messages, recording: read.drafted.recording }, people);
  return {
    agentId,
    name: nameOf(replaced.messages.at(-1)?.text ?? ''),
    assertions: suggestedFor(turn, replaced.recording),
    sourceMessageIds: session.map(({ messageId }) => messageId),
    missing: read.drafted.missing,
    ...replaced,
  };
}

/** A recording that doesn't open is treated like one that wasn't kept. */
async function openRecording(
  { recordingKeys, log }: Pick<Deps, 'recordingKeys' | 'log'>,
  sealed: NonNullable<Awaited<ReturnType<typeof getRecording>>>,
): Promise<TurnRecording | undefined> {
  try {
    return await recordingKeys.open(sealed, sealed.sealedKey);
  } catch (error) {
    log.error({ err: error, turnId: sealed.turnId }, 'a recording can not be opened');
    return undefined;
  }
}

/** The people who wrote in the chat, those who are quoted there, and the person after whom a private chat is named. */
function knownPeople(
  people: Awaited<ReturnType<typeof listPeopleOf>>,
  session: readonly SaidRow[],
  { place, platform }: Pick<NonNullable<Awaited<ReturnType<typeof getAnsweredTurn>>>, 'place' | 'platform'>,
): KnownPerson[] {
  const quoted = session.flatMap(({ quote }) => (quote?.author ? [quote.author] : []));
  // A mail's chat is named after its subject.
  const isNamedAfterPerson = place.kind === 'private' && !platformCapabilities[platform].usesAddresses;
  return [
    ...people.map(({ personId, name, username, platformUserId }) => ({
      personId,
      names: isNamedAfterPerson && people.length === 1 ? [name, place.title] : [name],
      accounts: [platformUserId, username ?? ''],
    })),
    ...quoted.map(({ name, platformUserId = '' }) => ({
      personId:
        people.find((person) => person.platformUserId === platformUserId)?.personId ?? `quoted ${name}`,
      names: [name],
      accounts: [platformUserId],
    })),
  ];
}

const maxUnits = 100_000;
const maxUnitsOfMessage = 16_000;

/** The session until the answer, oldest message first. Messages that were answered together are one. */
function messagesOf(
  { messageIds, replyId }: AnsweredTurn,
  session: readonly SaidRow[],
  recording: TurnRecording | undefined,
): CaseDraft['messages'] {
  const question = session.filter(({ messageId }) => messageIds.includes(messageId));
  const before = session.filter(
    (message) =>
      !messageIds.includes(message.messageId) && message.messageId !== replyId && !isNotice(message),
  );
  const questionText =
    recording?.question ??
    question
      .filter((message) => !isNotice(message))
      .map(textOf)
      .join('\n');
  const all = [
    ...before.map((message) => ({
      role: message.direction === 'in' ? ('user' as const) : ('assistant' as const),
      text: textOf(message),
    })),
    { role: 'user' as const, text: questionText },
  ].map(({ role, text }) => ({ role, text: text.slice(0, maxUnitsOfMessage).toWellFormed().trim() }));
  let room = maxUnits;
  const kept = all.reverse().filter(({ text }) => {
    room -= text.length;
    return text !== '' && room >= 0;
  });
  // The result of an approved call is told without a question: then the last question counts.
  while (kept[0]?.role === 'assistant') kept.shift();
  return kept.reverse();
}

const textOf = (message: SaidRow): string =>
  message.direction === 'in' ? withQuotation(message) : message.text;

const maxUnitsOfName = 80;
const nameOf = (text: string): string =>
  (text.split('\n')[0] ?? '').slice(0, maxUnitsOfName).toWellFormed().trim() || 'Case of a chat';

/** Asserts what the agent did, without its words. */
function suggestedFor(
  { agentId, triage, toolCalls, context }: AnsweredTurn,
  recording: CaseDraft['recording'],
): Assertion[] {
  const among = triage?.candidates.map((candidate) => candidate.agentId) ?? [];
  const called = new Set(
    recording.tools.filter(({ outcome }) => outcome !== 'waiting').map(({ name }) => name),
  );
  const waiting = new Set(
    recording.tools.filter(({ outcome }) => outcome === 'waiting').map(({ name }) => name),
  );
  const cited = new Set((context?.citations ?? []).map(({ sourceId }) => sourceId));
  const isHandedOver = toolCalls.some(({ result }) => result === handedOver);
  return [
    ...(agentId !== null && among.length > 1 && among.length <= 50
      ? [{ type: 'agent' as const, agentId, among }]
      : []),
    ...[...called].map((name) => ({ type: 'tool_called' as const, name })),
    ...[...waiting].map((name) => ({ type: 'approval_asked' as const, name })),
    ...[...cited].map((sourceId) => ({ type: 'cites' as const, sourceId })),
    ...(isHandedOver ? [{ type: 'handed_over' as const }] : []),
  ];
}
