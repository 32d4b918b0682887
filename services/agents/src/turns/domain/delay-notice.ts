import { replyCreated } from '@botyard/contracts/events/agents';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import { withTenant } from '@botyard/shared/db/database';
import type { Say } from '@botyard/words/words';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { Deps } from '../deps.ts';
import { insertDelayNotice } from '../store/notices.ts';
import { newestOf, newId, placeOf } from './end-rows.ts';

type NoticeDeps = Pick<Deps, 'database' | 'outbox' | 'log'>;

interface DelayedTurn {
  turn: readonly SaidRow[];
  afterSeconds: number;
  say: Say;
}

interface DelayNotice {
  /**
   * Prevents further notices. Resolves when a notice in progress is stored, because only then the next reply's position
   * is known.
   */
  end(): Promise<void>;
  /** For a postponed turn: sends the notice now if it would be due before the next attempt. */
  endUntil(triedMs: number): Promise<void>;
}

/** Notifies a chat once that its answer takes longer than usual, counted from the turn's first attempt. */
export function beginDelayNotice(
  deps: NoticeDeps,
  conversation: ClaimedConversation,
  { turn, afterSeconds, say }: DelayedTurn,
): DelayNotice {
  const { platform, triedMs: earlierMs } = conversation;
  const isWaitedFor = platformCapabilities[platform].isLive && turn.some(({ isAddressed }) => isAddressed);
  const afterMs = afterSeconds > 0 && isWaitedFor ? afterSeconds * 1000 : Number.POSITIVE_INFINITY;
  let sending: Promise<void> | undefined;
  const send = () => {
    sending ??= sendNotice(deps, conversation, { turn, text: say('delay') }).catch((error: unknown) => {
      deps.log.warn({ err: error }, 'could not notify a chat that its answer takes longer');
    });
  };
  const timer = Number.isFinite(afterMs) ? setTimeout(send, Math.max(0, afterMs - earlierMs)) : undefined;
  const end = async () => {
    clearTimeout(timer);
    await sending;
  };
  return {
    end,
    endUntil: async (triedMs) => {
      if (triedMs >= afterMs) send();
      await end();
    },
  };
}

async function sendNotice(
  { database, outbox }: NoticeDeps,
  conversation: ClaimedConversation,
  { turn, text }: { turn: readonly SaidRow[]; text: string },
): Promise<void> {
  const [first] = turn;
  if (!first) return;
  const { tenantId, conversationId, botId, integrationId, place: chat, platform } = conversation;
  const replyId = newId(conversation);
  const afterSeq = placeOf(conversation, turn);
  await withTenant(database, [tenantId], async (tx) => {
    const notice = { replyId, text, afterSeq, firstMessageId: first.messageId };
    const replySeq = await insertDelayNotice(tx, conversation, notice);
    if (replySeq === undefined) return;
    await outbox.emit(tx, replyCreated, {
      tenantId,
      botId,
      integrationId,
      conversationId,
      platform,
      chat,
      text,
      replyId,
      replySeq,
      askedAt: newestOf(turn).toISOString(),
    });
    tx.afterCommit(() => {
      conversation.nextReplySeq = replySeq + 1;
    });
  });
}
