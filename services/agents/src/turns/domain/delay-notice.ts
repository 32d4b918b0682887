import { replyCreated } from '@botyard/contracts/events/agents';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import { withTenant } from '@botyard/shared/db/database';
import type { Say } from '@botyard/words/words';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { placeAfter } from '../../conversations/store/notice-positions.ts';
import type { BotRow } from '../../store/bots.ts';
import type { Deps } from '../deps.ts';
import { insertDelayNotice } from '../store/notices.ts';
import { newestOf } from './end-rows.ts';

type NoticeDeps = Pick<Deps, 'database' | 'outbox' | 'log'>;

/**
 * Notifies a chat once that its answer takes longer than usual, counted from the turn's first attempt.
 *
 * `end` prevents further notices, after the one that would be due within `dueMs` of that attempt. It resolves when a
 * notice in progress is stored, because only then the next reply's position is known.
 */
export function beginDelayNotice(
  deps: NoticeDeps,
  conversation: ClaimedConversation,
  { bot, heard, say }: { bot: BotRow; heard: readonly SaidRow[]; say: Say },
): { end(dueMs?: number): Promise<void> } {
  const { platform, triedMs } = conversation;
  const isWaitedFor = platformCapabilities[platform].isLive && heard.some(({ isAddressed }) => isAddressed);
  if (bot.delayNoticeSeconds === 0 || !isWaitedFor) return { end: async () => undefined };
  const afterMs = bot.delayNoticeSeconds * 1000;
  let sending: Promise<void> | undefined;
  const send = () => {
    sending ??= sendNotice(deps, conversation, heard, say('delay')).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'could not notify a chat that its answer takes longer'),
    );
  };
  const timer = setTimeout(send, Math.max(0, afterMs - triedMs));
  return {
    end: async (dueMs = 0) => {
      clearTimeout(timer);
      if (dueMs >= afterMs) send();
      await sending;
    },
  };
}

async function sendNotice(
  { database, outbox }: NoticeDeps,
  conversation: ClaimedConversation,
  heard: readonly SaidRow[],
  text: string,
): Promise<void> {
  const { tenantId, conversationId, botId, integrationId, place: chat, platform, nextSeq } = conversation;
  const reply = { replyId: conversation.newId(), text };
  const notice = { ...reply, afterSeq: placeAfter(heard, nextSeq), firstMessageId: heard[0]?.messageId };
  await withTenant(database, [tenantId], async (tx) => {
    const replySeq = await insertDelayNotice(tx, conversation, notice);
    if (replySeq === undefined) return;
    await outbox.emit(tx, replyCreated, {
      ...reply,
      tenantId,
      botId,
      integrationId,
      conversationId,
      platform,
      chat,
      replySeq,
      askedAt: newestOf(heard).toISOString(),
    });
    tx.afterCommit(() => {
      conversation.nextReplySeq = replySeq + 1;
    });
  });
}
