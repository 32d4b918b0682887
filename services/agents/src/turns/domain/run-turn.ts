import { failpoint } from '@botyard/shared/service/failpoint';
import { inTraceOf } from '@botyard/shared/tracing/spans';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { Deps } from '../deps.ts';
import { answerTurn } from './answer-turn.ts';
import { decide } from './decide.ts';
import { endAfterFault, endTurn } from './end-turn.ts';
import { readTurn } from './read-turn.ts';

/**
 * Takes a conversation's next turn and releases it: reads, decides, answers, ends. Never throws for a turn's fault.
 * One trace leads from the platform's call, which the first message belongs to, to the answer.
 */
export async function runTurn(
  deps: Deps,
  conversation: ClaimedConversation,
  signal: AbortSignal,
): Promise<void> {
  const { tenantId, platform, claims } = conversation;
  let messages: readonly SaidRow[] = [];
  try {
    const turn = await readTurn(deps, conversation);
    ({ messages } = turn);
    const origin = { tenantId, traceparent: messages[0]?.traceparent };
    const attributes = {
      'botyard.platform': platform,
      'botyard.messages': messages.length,
      'botyard.claims': claims,
    };
    await inTraceOf(origin, { name: 'answer turn', kind: 'consumer', attributes }, async () => {
      const decision = await decide(deps, conversation, turn);
      signal.throwIfAborted();
      const end =
        decision.kind === 'answerable' ? await answerTurn(deps, conversation, decision, signal) : decision;
      await endTurn(deps, conversation, end, signal);
      if (end.kind !== 'reply') return;
      await failpoint('agents.turn.after-commit');
      deps.summaries.offer(conversation, end.answer, turn.context);
    });
  } catch (error) {
    const fault = signal.aborted ? signal.reason : error;
    await endTurn(deps, conversation, endAfterFault(deps, conversation, messages, fault), signal);
  }
}
