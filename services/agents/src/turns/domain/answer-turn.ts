import { typing } from '@botyard/contracts/events/agents';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import { signal as sendSignal } from '@botyard/shared/bus/signals';
import { withTenant } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { answer } from '../../answering/domain/answer.ts';
import { sayingTo } from '../../conversations/domain/phrases.ts';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { Cause } from '../../models/domain/cause.ts';
import { GivenUp } from '../../models/domain/given-up.ts';
import type { Deps } from '../deps.ts';
import { hasRecentNotice } from '../store/notices.ts';
import { watchForCancellation } from './cancellation.ts';
import type { AnswerableTurn } from './decide.ts';
import { beginDelayNotice } from './delay-notice.ts';
import { putOffMs, tryMs } from './put-off.ts';
import type { TimedAnswer, TurnEnd } from './turn-end.ts';

/** Lasting causes: a chat gets their notice once an hour, and further messages end without a reply (REQ-CHAT-4). */
const noticesOncePerHour: ReadonlySet<Cause> = new Set<Cause>(['quota exhausted', 'allowance used up']);

/** Answers a turn in the time that its bot has. @throws for internal faults, or when `signal` aborts it. */
export async function answerTurn(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: AnswerableTurn,
  signal: AbortSignal,
): Promise<TurnEnd> {
  const { bot, heard, messages } = turn;
  const startedAt = performance.now();
  const say = sayingTo(bot, heard, turn.context);
  const endTyping = beginTyping(deps, conversation);
  const watch = watchForCancellation(deps, conversation, heard);
  const delay = beginDelayNotice(deps, conversation, { bot, heard, say });
  try {
    const answerMs = Math.min(bot.answerDeadlineSeconds * 1000, deps.config.MODEL_TIMEOUT_MS);
    const deadline = AbortSignal.timeout(tryMs(answerMs, conversation.triedMs));
    await failpoint('agents.turn.before-answer');
    const untilEnd = AbortSignal.any([signal, deadline, watch.signal]);
    const answered = await answer(deps, conversation, { ...turn, turn: heard, say }, untilEnd);
    await failpoint('agents.turn.before-commit');
    signal.throwIfAborted();
    const durationMs = performance.now() - startedAt;
    const triedMs = conversation.triedMs + durationMs;
    const waitMs = putOffMs(answered, { answerMs, triedMs });
    if (waitMs === undefined) return await replyOrSilence(deps, turn, { ...answered, durationMs });
    await delay.end(triedMs + waitMs);
    const { conversationId } = conversation;
    deps.log.info({ conversationId, waitMs: Math.round(waitMs) }, 'a turn is postponed: all keys are paused');
    return { kind: 'postponed', waitMs, triedMs };
  } catch (error) {
    if (signal.aborted || !(error instanceof GivenUp)) throw error;
    return { kind: 'silence', messages, reason: error.message };
  } finally {
    endTyping();
    watch.end();
    await delay.end();
  }
}

/** An answer is sent, unless it is an apology that nobody needs. */
async function replyOrSilence(
  { database }: Deps,
  { bot, heard, messages }: AnswerableTurn,
  answer: TimedAnswer,
): Promise<TurnEnd> {
  const { failure, outcome, usage } = answer;
  const [first] = heard;
  const silence = (reason: string): TurnEnd => ({ kind: 'silence', messages, unsent: answer, reason });
  const isFree = usage.inputTokens + usage.outputTokens === 0;
  // A message that was not addressed to the bot gets no apology when the model fails.
  if (outcome === 'apologized' && isFree && heard.every(({ isAddressed }) => !isAddressed))
    return silence('nobody addressed the bot, and the model failed');
  const isRepeated =
    first &&
    failure !== null &&
    noticesOncePerHour.has(failure) &&
    (await withTenant(database, [first.tenantId], (tx) => hasRecentNotice(tx, first, failure)));
  if (isRepeated) return silence(`the chat was told within the last hour: ${failure}`);
  return { kind: 'reply', messages, bot, answer };
}

/** Answers faster than this need no typing indicator. */
const typingAfterMs = 300;
const typingEveryMs = 4000;

/** Shows "typing" while an answer is in progress, unless it is fast. Returns the function that ends it. */
function beginTyping({ bus }: Pick<Deps, 'bus'>, conversation: ClaimedConversation): () => void {
  const { botId, integrationId, conversationId, place: chat, platform } = conversation;
  if (!platformCapabilities[platform].isLive) return () => undefined;
  const show = () => sendSignal(bus, typing, { botId, integrationId, conversationId, platform, chat });
  let timer = setTimeout(() => {
    show();
    timer = setInterval(show, typingEveryMs);
  }, typingAfterMs);
  return () => clearTimeout(timer);
}
