import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import { replyDelivered } from '@botyard/shared/events/webhooks';
import { failpoint } from '@botyard/shared/service/failpoint';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import type { Deps } from '../deps.ts';
import { failWaitingParts, getReply, getReplyOutcome, saveReplyState } from '../store/replies.ts';
import {
  advancePaces,
  beginPart,
  blockChat,
  type ClaimedChat,
  claimChats,
  getBotPaceMs,
  getFirstWaitingPart,
  lockChat,
  releaseChat,
  savePartOutcome,
  type WaitingPart,
} from '../store/sending.ts';
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
    claim: (limit) => withPlatform(deps.database, 'claim chats', (tx) => claimChats(tx, limit)),
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
  let sent: Sent | undefined;
  for (;;) {
    const step = await withTenant(deps.database, [chat.tenantId], (tx) => nextStep(deps, tx, chat, sent));
    if (step === 'done') return undefined;
    if ('waitMs' in step) return step.waitMs;
    await failpoint('webhooks.sender.before-send');
    await typing.settled(chat.botId, chat.platformChatId);
    sent = { part: step.send, outcome: await sendPart(deps, chat, step.send) };
    await failpoint('webhooks.sender.after-send');
  }
}

/** Settles what was sent and begins the next part, in one transaction. */
async function nextStep(deps: Deps, tx: TenantTx, chat: ClaimedChat, sent: Sent | undefined): Promise<Step> {
  const locked = await lockChat(tx, chat);
  if (!locked) {
    deps.log.warn(
      { botId: chat.botId, hadSent: sent !== undefined },
      'a chat was taken over by another worker',
    );
    return 'done';
  }
  const askedWaitMs = sent ? await settle(deps, tx, chat, sent) : 0;
  const part = await getFirstWaitingPart(tx, chat);
  if (!part) {
    await releaseChat(tx, chat, null);
    return 'done';
  }
  const pace = paceOfChat(chat.platformChatId);
  const botAheadMs = await getBotPaceMs(tx, chat.tenantId, chat.botId);
  const wait = Math.max(askedWaitMs, waitMs(pace, locked.aheadMs), waitMs(botPace, botAheadMs));
  if (wait > 0) {
    await releaseChat(tx, chat, wait);
    return { waitMs: wait };
  }
  await advancePaces(tx, chat, { chat: pace.intervalMs, bot: botPace.intervalMs });
  await beginPart(tx, chat.tenantId, part);
  return { send: part };
}

/** Returns for how long the platform asked to wait. */
async function settle(deps: Deps, tx: TenantTx, chat: ClaimedChat, { part, outcome }: Sent): Promise<number> {
  await savePartOutcome(tx, chat.tenantId, part.partId, outcome);
  const touched = new Set([part.replyId]);
  if (outcome.blockedReason) {
    await blockChat(tx, chat, outcome.blockedReason);
    for (const replyId of await failWaitingParts(tx, chat, outcome.blockedReason)) touched.add(replyId);
  }
  for (const replyId of touched) await announceIfDone(deps, tx, chat.tenantId, replyId);
  return outcome.waitMs ?? 0;
}

async function announceIfDone(deps: Deps, tx: TenantTx, tenantId: string, replyId: string): Promise<void> {
  const outcome = await getReplyOutcome(tx, tenantId, replyId);
  if (!outcome.isDone) return;
  const reply = await getReply(tx, tenantId, replyId);
  if (!reply) return;
  const state = outcome.hasFailed ? 'failed' : 'sent';
  await saveReplyState(tx, reply, state);
  await deps.outbox.emit(tx, replyDelivered, {
    tenantId,
    botId: reply.botId,
    conversationId: reply.conversationId,
    replyId,
    state,
    platformMessageIds: outcome.platformMessageIds,
    isUncertain: outcome.isUncertain,
    ...(outcome.lastError === null ? {} : { lastError: outcome.lastError }),
  });
}
