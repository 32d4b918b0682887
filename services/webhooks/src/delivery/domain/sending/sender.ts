import type { TenantTx } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { inTraceOf } from '@botyard/shared/tracing/spans';
import type { Deps } from '../../../deps.ts';
import type { Platform } from '../../../platforms/platform.ts';
import {
  type ClaimedChat,
  chatKey,
  claimChats,
  claimChatsOfLone,
  type LockedChat,
  type WaitingPart,
} from '../../store/sending.ts';
import type { Typing } from '../chats/typing.ts';
import { ChatLease } from './chat-lease.ts';
import { type Begun, emptiesQueue, nextStep, type Sent, type Step, sendOf } from './next-step.ts';
import { createSendLoop, type Sending, type SendLoop } from './send-loop.ts';
import { type SendOutcome, sendPart } from './send-part.ts';
import { SettledTogether } from './settled-together.ts';

/** A claimed chat, with the part whose send began with the claim. */
export interface ChatToServe extends ClaimedChat {
  begun?: { part: WaitingPart; heldSince: number } | undefined;
}

/**
 * Sends a platform's queued messages, one after another in each chat and concurrently in many chats. Every step is
 * fenced: a worker that lost its chat while it was suspended begins nothing (REQ-REL-4).
 */
export function createSender(
  deps: Deps,
  { platform, typing, sending }: { platform: Platform; typing: Typing; sending: Sending },
): SendLoop<ChatToServe> {
  const { name, slots } = platform;
  const settled = new SettledTogether(deps, sending.outcomes);
  return createSendLoop<ChatToServe>(deps, sending, {
    name: `${name} sender`,
    slots,
    keyOf: chatKey,
    claim: (tx, allotment, claimer) => claimChats(tx, name, allotment, claimer),
    claimOfLone: (tx, limit, claimer) => claimChatsOfLone(tx, name, limit, claimer),
    run: (chat) => sendWaiting({ ...deps, platform, typing, sending, settled }, chat),
  });
}

type SenderDeps = Deps & { platform: Platform; typing: Typing; sending: Sending; settled: SettledTogether };

/** Sends until nothing is pending or the pace requires a pause. Resolves with the pause in ms in that case. */
async function sendWaiting(deps: SenderDeps, chat: ChatToServe): Promise<number | undefined> {
  const { outcomes, closing } = deps.sending;
  const { begun } = chat;
  const lease = new ChatLease(deps.database, chat, {
    platform: deps.platform,
    givingUp: outcomes.givingUp,
    heldSince: begun?.heldSince,
  });
  let sent: Sent | undefined;
  let step: Step | undefined = begun && { send: begun.part, openSends: 0 };
  // Another process continues with a part that this one has begun but not sent.
  if (begun && closing.isClosing) {
    sent = { part: begun.part, outcome: { state: 'queued' } };
    step = undefined;
  }
  for (;;) {
    step ??= await advance(deps, lease, sent);
    if (step === 'done') return undefined;
    if (step && 'waitMs' in step) return step.waitMs;
    if (step) sent = await sendBegun(deps, lease, step);
    if (!step || !sent) {
      deps.log.warn({ botId: chat.botId, hadSent: !!sent }, 'a chat was taken over by another worker');
      return undefined;
    }
    step = undefined;
  }
}

/** Resolves with `undefined` when the chat was lost before the send. */
async function sendBegun(
  deps: SenderDeps,
  lease: ChatLease,
  { send: part, openSends }: Begun,
): Promise<Sent | undefined> {
  const { platform, typing, sending } = deps;
  const { botId, platformChatId } = lease.chat;
  let outcome: SendOutcome | undefined;
  try {
    await failpoint('webhooks.sender.before-send');
    await typing.settled(botId, platformChatId);
    const how = { openSends, signal: sending.closing.signal };
    outcome = await asSpan(lease.chat, part, () => sendPart(deps, { platform, lease }, part, how));
    await failpoint('webhooks.sender.after-send');
    return outcome && { part, outcome };
  } finally {
    lease.begun = undefined;
    sending.unmade.forget(part.partId);
    // A part that was begun but not sent must not count as a send with an unknown outcome.
    if (!outcome) await saveAlone(deps, lease, { part, outcome: { state: 'queued' } });
  }
}

/**
 * Saves the outcome of the sent part and begins the next one. If that is delayed, the outcome is first written alone,
 * however long it takes. Resolves with `undefined` when the chat was lost.
 */
async function advance(
  deps: SenderDeps,
  lease: ChatLease,
  sent: Sent | undefined,
): Promise<Step | undefined> {
  const { outcomes } = deps.sending;
  const { replyId, conversationId } = sent?.part ?? {};
  const isWhole = sent && replyId && conversationId && isPlain(sent.outcome) && !deps.platform.records;
  if (isWhole && !outcomes.isHampered) {
    const settled = await deps.settled.settle(lease.chat, sent, { replyId, conversationId });
    if (settled === 'empty') return 'done';
    if (settled === 'more') return await advance(deps, lease, undefined);
  }
  const next = (settles: boolean) => (tx: TenantTx, locking: Promise<LockedChat | undefined>) =>
    nextStep(deps, tx, { lease, locking, sent, settles });
  if (!sent) return await lease.renew(next(false));
  if (!outcomes.isHampered) {
    try {
      const step = await lease.renewOnce(next(true));
      // The send did happen, even if another process holds the chat now.
      if (!step) await saveAlone(deps, lease, sent);
      return step;
    } catch (error) {
      deps.log.warn({ err: error, botId: lease.chat.botId }, 'the outcome of a send is written separately');
      outcomes.noteHampered();
    }
  }
  if (!(await saveAlone(deps, lease, sent))) return undefined;
  return await lease.renew(next(emptiesQueue(sent.outcome)));
}

function saveAlone({ sending }: SenderDeps, { chat }: ChatLease, sent: Sent): Promise<boolean> {
  const { tenantId, partId: id, send, outcome } = sendOf(chat, sent);
  return sending.outcomes.save({ kind: 'part', tenantId, id, send, outcome });
}

/** Adapters don't throw, so the outcome of the part is recorded as an attribute. */
function asSpan(
  { tenantId }: ClaimedChat,
  { traceparent, attempts }: WaitingPart,
  send: () => Promise<SendOutcome | undefined>,
): Promise<SendOutcome | undefined> {
  const attributes = { 'botyard.attempt': attempts + 1 };
  const start = { name: 'send part', kind: 'client', attributes } as const;
  return inTraceOf({ tenantId, traceparent }, start, async (span) => {
    const outcome = await send();
    span.set({ 'botyard.state': outcome?.state ?? 'lost' });
    return outcome;
  });
}

/** Whether the part has arrived in the chat that it was sent to. */
const isPlain = (outcome: SendOutcome): boolean => outcome.state === 'sent' && !emptiesQueue(outcome);
