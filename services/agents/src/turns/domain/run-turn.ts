import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { findBot } from '@botyard/contracts/events/tenancy';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import { maxAttempts } from '@botyard/shared/bus/dead-letters';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { isLockConflict } from '@botyard/shared/db/failures';
import { HttpError } from '@botyard/shared/http/errors';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import { failpoint } from '@botyard/shared/service/failpoint';
import { contextFrom, runInContext } from '@botyard/shared/tracing/context';
import { inTraceOf } from '@botyard/shared/tracing/spans';
import { type Asked, answer } from '../../answering/domain/answer.ts';
import type { TurnView } from '../../answering/store/turn-view.ts';
import { sayingTo } from '../../conversations/domain/phrases.ts';
import { type ClaimedConversation, databaseNowMs } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { Deps } from '../../deps.ts';
import { readMediaOf } from '../../media/domain/read-media.ts';
import { GivenUp } from '../../models/domain/given-up.ts';
import { whyNotHere } from '../../routing/domain/group-rules.ts';
import { saveBot } from '../../store/bots.ts';
import { releaseConversation, restConversation } from '../store/claims.ts';
import { type AnsweredTurn, beginAdmission } from './admission.ts';
import { freshViewOf, type TurnToRun } from './begin-at-once.ts';
import { isLeftToStaff, watchForCancellation, whyCancelled } from './cancellation.ts';
import { DelayNotice } from './delay-notice.ts';
import { deadLetterTurn, ignoreTurn, leaveUnanswered, refuseTurn, storeAnswer } from './end-turn.ts';
import { closeGap } from './missing-messages.ts';
import { nextTurn, whyAutomatic } from './next-turn.ts';
import { PutOff, putOffMs, tryMs } from './put-off.ts';
import { beginTyping } from './typing.ts';

/** Thrown when this process stops or another one has the conversation. The turn itself has not failed. */
export class Stopping extends Error {
  override readonly name = 'Stopping';
}

/**
 * The interval at which messages before a gap are requested, and the number of unfinished claims that make a message
 * suspect.
 */
const gapWaitMs = 1000;
const maxClaims = 20;
const storeTries = 8;
const storePauseMs = 250;

/** Answers the first pending messages of a conversation, and releases it. Never throws for a single turn's fault. */
export async function runTurn(deps: Deps, conversation: TurnToRun, signal: AbortSignal): Promise<void> {
  const context = contextFrom({});
  context.tenantId = conversation.tenantId;
  await runInContext(context, async () => {
    let turn: SaidRow[] | undefined;
    try {
      const admit = beginAdmission(deps.tenancy, conversation);
      const view = await readTurn(deps, conversation);
      const { bot, cancellation, context: said, agents, routing, summary } = view;
      // A person may have written since the claim. While the bot handles the chat, only the bot writes.
      conversation.nextReplySeq = view.nextReplySeq ?? conversation.nextReplySeq;
      turn = await findTurn(deps, conversation, view);
      // Messages arrive out of order only after trouble with the bus. The missing one is on its way.
      if (!turn) return await waitAwhile(deps, conversation, gapWaitMs);
      if (turn.length === 0) return await rest(deps, conversation);
      if (!bot?.isEnabled) return await ignoreTurn(deps, conversation, turn);
      const isForStaff = isLeftToStaff(turn[0]!, cancellation);
      const cancelled = isForStaff ? undefined : whyCancelled(turn, cancellation);
      const { threadId } = conversation.place;
      const why = whyAutomatic(turn) ?? cancelled ?? whyNotHere({ group: routing.group, threadId, turn });
      if (why) return await ignoreTurn(deps, conversation, turn, why);
      if (conversation.claims > maxClaims) return await deadLetterPoisonMessage(deps, conversation, turn);
      const asked = { bot, agents, routing, context: said, summary };
      await takeTurn(deps, conversation, { turn, isForStaff, asked, admit }, signal);
    } catch (error) {
      await giveBack(deps, conversation, turn, signal.aborted ? signal.reason : error);
    }
  });
}

/** Leaves a turn to staff, refuses it or answers it, once its attachments have been read. */
async function takeTurn(
  deps: Deps,
  conversation: ClaimedConversation,
  {
    turn,
    isForStaff,
    asked,
    admit,
  }: {
    turn: SaidRow[];
    isForStaff: boolean;
    asked: Omit<Asked, 'turn' | 'say'>;
    admit: ReturnType<typeof beginAdmission>;
  },
  signal: AbortSignal,
): Promise<void> {
  const read = isForStaff ? { turn } : await readMediaOf(deps, conversation, turn);
  if ('waitMs' in read) return await waitAwhile(deps, conversation, read.waitMs);
  const messages = read.turn;
  await asPartOf(conversation, messages, async () => {
    const admitted = await admit(messages);
    signal.throwIfAborted();
    if (isForStaff) return await leaveUnanswered(deps, conversation, { turn: admitted, isForStaff });
    const { bot, context } = asked;
    if (admitted.heard.length === 0) return await refuseTurn(deps, conversation, { bot, ...admitted });
    const say = sayingTo(bot, admitted.heard, context);
    try {
      await answerTurn(deps, conversation, { ...asked, ...admitted, say }, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof GivenUp)) throw error;
      await leaveUnanswered(deps, conversation, { turn: admitted, lastError: error.message });
    }
  });
}

const joinWindowOf = ({ platform }: ClaimedConversation, bot: TurnView['bot']): number =>
  platformCapabilities[platform].joinsMessages ? (bot?.joinWindowMs ?? 0) : 0;

/** Runs the work in the trace of the first message: one trace leads from the platform's call to the answer. */
function asPartOf(
  { tenantId, platform, claims }: ClaimedConversation,
  turn: readonly SaidRow[],
  work: () => Promise<void>,
): Promise<void> {
  const attributes = {
    'botyard.platform': platform,
    'botyard.messages': turn.length,
    'botyard.claims': claims,
  };
  const origin = { tenantId, traceparent: turn[0]?.traceparent };
  return inTraceOf(origin, { name: 'answer turn', kind: 'consumer', attributes }, work);
}

/** The messages to answer next, or `undefined` while an earlier one is missing. */
async function findTurn(
  deps: Deps,
  conversation: ClaimedConversation,
  { bot, queued, cancellation }: TurnView,
): Promise<SaidRow[] | undefined> {
  const [first] = queued;
  if (first && first.seq > conversation.nextSeq) {
    const openMs = databaseNowMs(conversation) - first.createdAt.getTime();
    if (!(await closeGap(deps, conversation, { beforeSeq: first.seq, openMs }))) return undefined;
  }
  const turn = nextTurn(queued, joinWindowOf(conversation, bot));
  // Messages sent while a person handled the chat are never answered together with later ones.
  const isForStaff = first !== undefined && isLeftToStaff(first, cancellation);
  const end = turn.findIndex((message) => isLeftToStaff(message, cancellation) !== isForStaff);
  return end === -1 ? turn : turn.slice(0, end);
}

async function answerTurn(
  deps: Deps,
  conversation: ClaimedConversation,
  asked: Omit<Asked, 'turn'> & AnsweredTurn,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  const endTyping = beginTyping(deps, conversation);
  const watch = watchForCancellation(deps, conversation, asked.heard);
  const { delayNoticeSeconds: afterSeconds } = asked.bot;
  const delay = new DelayNotice(deps, conversation, { turn: asked.heard, afterSeconds, say: asked.say });
  try {
    delay.start();
    const answerMs = Math.min(asked.bot.answerDeadlineSeconds * 1000, deps.config.MODEL_TIMEOUT_MS);
    const deadline = AbortSignal.timeout(tryMs(answerMs, conversation.triedMs));
    await failpoint('agents.turn.before-answer');
    const question = { ...asked, turn: asked.heard };
    const answered = await answer(
      deps,
      conversation,
      question,
      AbortSignal.any([signal, deadline, watch.signal]),
    );
    await failpoint('agents.turn.before-commit');
    endTyping();
    signal.throwIfAborted();
    const durationMs = performance.now() - startedAt;
    const triedMs = conversation.triedMs + durationMs;
    const waitMs = putOffMs(answered, { answerMs, triedMs });
    if (waitMs !== undefined) {
      await delay.endUntil(triedMs + waitMs);
      throw new PutOff(waitMs, triedMs);
    }
    await delay.end();
    await retryWhileUnavailable(signal, () =>
      storeAnswer(deps, conversation, asked, { ...answered, durationMs }),
    );
    await failpoint('agents.turn.after-commit');
    deps.summaries.offer(conversation, answered, asked.context);
  } finally {
    endTyping();
    watch.end();
    await delay.end();
  }
}

/** Retries the write during a short outage of the database, because the model's answer has been paid for. */
async function retryWhileUnavailable(signal: AbortSignal, store: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await store();
    } catch (error) {
      if (!isUnavailable(error) || tries >= storeTries) throw error;
      await pause(storePauseMs, undefined, { signal });
    }
  }
}

const isUnavailable = (error: unknown): boolean => error instanceof HttpError && error.status === 503;

/** A message may arrive before its bot's event. In that case the bot is requested from the tenancy service. */
async function readTurn(deps: Deps, conversation: TurnToRun): Promise<TurnView> {
  const { tenantId, botId } = conversation;
  const read = () => deps.turnViews.run(conversation);
  const view = freshViewOf(conversation) ?? (await read());
  if (view.bot) return view;
  const { bot } = await ask(deps.bus, findBot, { tenantId, botId });
  if (!bot) return view;
  await withTenant(deps.database, [tenantId], (tx) => saveBot(tx, bot));
  return await read();
}

/** Releases the conversation, to wait for something that is on its way. */
async function waitAwhile(deps: Deps, conversation: ClaimedConversation, waitMs: number): Promise<void> {
  await withTenant(deps.database, [conversation.tenantId], (tx) =>
    releaseConversation(tx, conversation, { waitMs, countsClaim: false }),
  );
  deps.wakeWorker(waitMs);
}

const rest = (deps: Deps, conversation: ClaimedConversation): Promise<void> =>
  withTenant(deps.database, [conversation.tenantId], async (tx) => {
    if (await restConversation(tx, conversation)) tx.afterCommit(() => deps.wakeWorker());
  });

/**
 * Dead-letters a message whose claims all ended with the death of their process. No error was reported, but the
 * attempts have to stop.
 */
async function deadLetterPoisonMessage(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: SaidRow[],
): Promise<void> {
  const tries = conversation.claims - 1;
  const lastError = `abandoned after ${tries} claims without an end`;
  deps.log.error({ messageId: turn[0]?.messageId, claims: conversation.claims }, 'a message is dead');
  await deadLetterTurn(deps, conversation, turn, { lastError, tries });
}

/** Doubles, with jitter. All the waits of a message together stay under a minute (P8). */
function retryWaitMs(deps: Deps, failures: number): number {
  const ceiling = deps.config.AGENTS_RETRY_BASE_MS * 2 ** (failures - 1);
  return randomInt(Math.ceil(ceiling / 2), ceiling + 1);
}

async function putOff(
  deps: Deps,
  conversation: ClaimedConversation,
  { waitMs, triedMs }: PutOff,
): Promise<void> {
  const { conversationId } = conversation;
  deps.log.info({ conversationId, waitMs: Math.round(waitMs) }, 'a turn is postponed: all keys are paused');
  await withTenant(deps.database, [conversation.tenantId], (tx) =>
    releaseConversation(tx, conversation, { waitMs, countsClaim: false, triedMs }),
  );
  deps.wakeWorker(waitMs);
}

/**
 * Releases the conversation after an error. A turn with an internal fault is tried at most 6 times. An outage, a lock
 * or a stop doesn't count (REQ-REL-5).
 */
async function giveBack(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: SaidRow[] | undefined,
  error: unknown,
): Promise<void> {
  if (error instanceof PutOff) return await putOff(deps, conversation, error);
  const isOutage = error instanceof Stopping || isUnavailable(error) || isLockConflict(error);
  const failures = conversation.failures + (isOutage ? 0 : 1);
  const text = withoutSecrets(String(error)).slice(0, 1000);
  if (turn?.length && failures >= maxAttempts) {
    deps.log.error({ err: error, messageId: turn[0]?.messageId }, 'a message is dead');
    return await deadLetterTurn(deps, conversation, turn, { lastError: text, tries: failures });
  }
  if (!isOutage) deps.log.error({ err: error, failures }, 'a turn failed');
  const waitMs = error instanceof Stopping ? 0 : isOutage ? gapWaitMs : retryWaitMs(deps, failures);
  const release = { waitMs, countsClaim: !isOutage, ...(isOutage ? {} : { error: text }) };
  await withTenant(deps.database, [conversation.tenantId], (tx) =>
    releaseConversation(tx, conversation, release),
  );
  deps.wakeWorker(waitMs);
}
