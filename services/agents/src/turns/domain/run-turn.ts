import { failpoint } from '@botyard/shared/service/failpoint';
import { contextFrom, runInContext } from '@botyard/shared/tracing/context';
import { inTraceOf } from '@botyard/shared/tracing/spans';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { Deps } from '../deps.ts';
import { answerTurn } from './answer-turn.ts';
import { decide } from './decide.ts';
import { endTurn } from './end-turn.ts';
import { endAfterFault } from './failed-turn.ts';
import { readTurn, type TurnRead } from './read-turn.ts';

/** Takes a conversation's next turn and releases it: reads, decides, answers, ends. Never throws for a turn's fault. */
export async function runTurn(
  deps: Deps,
  conversation: ClaimedConversation,
  signal: AbortSignal,
): Promise<void> {
  const context = contextFrom({});
  context.tenantId = conversation.tenantId;
  await runInContext(context, async () => {
    let turn: TurnRead | undefined;
    try {
      turn = await readTurn(deps, conversation);
      await finish(deps, conversation, turn, signal);
    } catch (error) {
      const end = endAfterFault(deps, conversation, turn, signal.aborted ? signal.reason : error);
      await endTurn(deps, conversation, end, signal);
    }
  });
}

/** Runs in the trace of the first message: one trace leads from the platform's call to the answer. */
function finish(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: TurnRead,
  signal: AbortSignal,
): Promise<void> {
  const { tenantId, platform, claims } = conversation;
  const attributes = {
    'botyard.platform': platform,
    'botyard.messages': turn.messages.length,
    'botyard.claims': claims,
  };
  const origin = { tenantId, traceparent: turn.messages[0]?.traceparent };
  return inTraceOf(origin, { name: 'answer turn', kind: 'consumer', attributes }, async () => {
    const decision = await decide(deps, conversation, turn);
    signal.throwIfAborted();
    const end =
      decision.kind === 'answerable' ? await answerTurn(deps, conversation, decision, signal) : decision;
    await endTurn(deps, conversation, end, signal);
    if (end.kind !== 'reply') return;
    await failpoint('agents.turn.after-commit');
    deps.summaries.offer(conversation, end.answer, turn.context);
  });
}
