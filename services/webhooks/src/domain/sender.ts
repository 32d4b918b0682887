import { type TenantTx, withPlatformRelaxed } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import type { Deps } from '../deps.ts';
import {
  advancePaces,
  beginPart,
  type ClaimedChat,
  claimChats,
  getBotPaceMs,
  getFirstWaitingPart,
  releaseChat,
  savePartOutcome,
  type WaitingPart,
} from '../store/sending.ts';
import { markBlocked } from './chats/chat-state.ts';
import { migrateChat } from './chats/migrate-chat.ts';
import { announceIfDone } from './chats/settle-reply.ts';
import { Hold } from './hold.ts';
import { botPace, paceOfChat, waitMs } from './pace.ts';
import { type SendOutcome, sendPart } from './send-part.ts';
import type { Typing } from './typing.ts';

const maxConcurrentChats = 64;
const pollEveryMs = 1000;

type Step = { send: WaitingPart } | { waitMs: number } | 'done';

interface Sent {
  part: WaitingPart;
  outcome: SendOutcome;
}

/**
 * Sends what is queued, one message after another in each chat and many chats at once. Every step is fenced: a
 * worker that lost its chat while it slept writes nothing (reliability, rule 4).
 */
export function createSender(deps: Deps, typing: Typing): ClaimLoop<ClaimedChat> {
  const loop = new ClaimLoop<ClaimedChat>({
    name: 'sender',
    maxConcurrent: maxConcurrentChats,
    pollEveryMs,
    claim: (limit) => withPlatformRelaxed(deps.database, 'claim chats', (tx) => claimChats(tx, limit)),
    run: async (chat) => {
      const wait = await sendWaiting(deps, typing, chat);
      if (wait !== undefined) loop.wakeIn(wait);
    },
    log: deps.log,
  });
  return loop;
}

/** Sends until nothing waits or the pace asks to; returns for how long in that case. */
async function sendWaiting(deps: Deps, typing: Typing, chat: ClaimedChat): Promise<number | undefined> {
  const hold = new Hold(deps.database, chat);
  let sent: Sent | undefined;
  for (;;) {
    const step = await hold.renew((tx, { aheadMs }) => nextStep(deps, tx, { chat, aheadMs, sent }));
    if (step === 'done') return undefined;
    if (step && 'waitMs' in step) return step.waitMs;
    if (step) {
      await failpoint('webhooks.sender.before-send');
      await typing.settled(chat.botId, chat.platformChatId);
      const outcome = await sendPart(deps, hold, step.send);
      await failpoint('webhooks.sender.after-send');
      sent = outcome && { part: step.send, outcome };
    }
    if (!step || !sent) {
      deps.log.warn({ botId: chat.botId, hadSent: !!sent }, 'a chat was taken over by another worker');
      return undefined;
    }
  }
}

/** Settles what was sent and begins the next part, in one transaction. */
async function nextStep(
  deps: Deps,
  tx: TenantTx,
  { chat, aheadMs, sent }: { chat: ClaimedChat; aheadMs: number; sent: Sent | undefined },
): Promise<Step> {
  const askedWaitMs = sent ? await settle(deps, tx, chat, sent) : 0;
  const [part, botAheadMs] = await Promise.all([
    getFirstWaitingPart(tx, chat),
    getBotPaceMs(tx, chat.tenantId, chat.botId),
  ]);
  if (!part) {
    await releaseChat(tx, chat, null);
    return 'done';
  }
  const pace = paceOfChat(chat.platformChatId);
  const wait = Math.max(askedWaitMs, waitMs(pace, aheadMs), waitMs(botPace, botAheadMs));
  if (wait > 0) {
    await releaseChat(tx, chat, wait);
    return { waitMs: wait };
  }
  await Promise.all([
    advancePaces(tx, chat, { chat: pace.intervalMs, bot: botPace.intervalMs }),
    beginPart(tx, chat.tenantId, part),
  ]);
  return { send: part };
}

/** Returns for how long the platform asked to wait. */
async function settle(deps: Deps, tx: TenantTx, chat: ClaimedChat, { part, outcome }: Sent): Promise<number> {
  const { tenantId, platformChatId: fromChatId } = chat;
  const { migratedToChatId: toChatId = fromChatId, blockedReason: reason } = outcome;
  await savePartOutcome(tx, tenantId, part.partId, outcome);
  await announceIfDone(deps, tx, tenantId, part.replyId);
  if (toChatId !== fromChatId)
    await migrateChat(deps, tx, { ...chat, fromChatId, toChatId }, { isHeld: true });
  if (reason) await markBlocked(deps, tx, { ...chat, platformChatId: toChatId }, { reason, isHeld: true });
  return outcome.waitMs ?? 0;
}
