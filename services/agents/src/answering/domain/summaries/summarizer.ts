import type { Worker } from '@botyard/shared/work/worker';
import type { ClaimedConversation } from '../../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../../conversations/store/messages.ts';
import type { Deps } from '../../deps.ts';
import { maxContextMessages } from '../../store/turn-view.ts';
import type { Answer } from '../answer-record.ts';
import { fewestMessages, fewestUnits, type SummaryWork, summarize } from './summarize.ts';

/** Makes summaries in the background, after answers. A summary lost with the process is made after the next answer. */
export interface Summarizer extends Worker {
  /** Checks whether enough messages have left the window of a stored answer for a summary. Returns immediately. */
  offer(conversation: ClaimedConversation, answered: Answer, newestFirst: readonly SaidRow[]): void;
}

const maxAtOnce = 2;
const maxWaiting = 200;

export function createSummarizer(deps: Deps): Summarizer {
  const stopping = new AbortController();
  const waiting = new Map<string, SummaryWork>();
  const running = new Map<string, Promise<void>>();
  const run = () => {
    for (const [conversationId, work] of waiting) {
      if (running.size >= maxAtOnce || stopping.signal.aborted) return;
      if (running.has(conversationId)) continue;
      waiting.delete(conversationId);
      const done = summarize(deps, work, stopping.signal)
        .catch((error: unknown) => deps.log.warn({ err: error, conversationId }, 'a summary failed'))
        .finally(() => {
          running.delete(conversationId);
          run();
        });
      running.set(conversationId, done);
    }
  };
  return {
    start: () => undefined,
    stop: async () => {
      stopping.abort(new Error('the service stops'));
      await Promise.all(running.values());
    },
    offer: (conversation, answered, newestFirst) => {
      const work = workOf(conversation, answered, newestFirst);
      if (!work || waiting.size >= maxWaiting) return;
      waiting.set(work.conversationId, work);
      run();
    },
  };
}

/** Finds the messages to summarize: those that were read for the answer but didn't fit into the context window. */
function workOf(
  { tenantId, conversationId, botId, summarizedUntil }: ClaimedConversation,
  { agent, context, outcome }: Answer,
  newestFirst: readonly SaidRow[],
): SummaryWork | undefined {
  if (!agent?.keepsSummary || !context || outcome !== 'answered') return undefined;
  const fallen = newestFirst
    .slice(context.messages)
    .filter(({ messageId }) => summarizedUntil === null || messageId > summarizedUntil);
  const oldest = newestFirst.at(-1);
  // There may be older messages beyond those that were read.
  const isDeep =
    newestFirst.length >= maxContextMessages &&
    (summarizedUntil === null || (oldest && oldest.messageId > summarizedUntil));
  const units = fallen.reduce((sum, { text }) => sum + text.length, 0);
  if (!isDeep && fallen.length < fewestMessages && units < fewestUnits) return undefined;
  const until = (fallen[0] ?? oldest)?.messageId;
  return until === undefined ? undefined : { tenantId, conversationId, botId, agent, until };
}
