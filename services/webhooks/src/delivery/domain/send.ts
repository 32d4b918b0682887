import { randomInt } from 'node:crypto';
import { platformChatIdOf } from '@botyard/contracts/http/platform';
import { failpoint } from '@botyard/shared/service/failpoint';
import type { Foundation } from '@botyard/shared/service/foundation';
import { inTraceOf } from '@botyard/shared/tracing/spans';
import type { Typing } from '../../chats/domain/typing.ts';
import type { FileContent, Platform, SendResult } from '../../platforms/platform.ts';
import type { ClaimedChat } from '../store/chats.ts';
import type { WaitingPart } from '../store/parts.ts';
import type { SendEnd } from './send-end.ts';

/** A part whose send has begun. */
export interface BegunPart {
  chat: ClaimedChat;
  part: WaitingPart;
  /** The number of the send: 1, 2, 3, … */
  send: number;
  /** Earlier sends that may have arrived. */
  openSends: number;
}

/** The next thing in a chat: a send that has begun, a wait, or nothing. Or the chat was lost to another process. */
export type Prepared = BegunPart | { waitMs: number } | 'empty' | 'lost';

/** A chat to send in. A claim within another transaction may have prepared the first step. */
export type ChatToServe = ClaimedChat & { prepared?: Prepared };

interface CallOptions {
  platform: Platform;
  /** Whether the chat is still held. Checked before each call. */
  mayCall(): Promise<boolean>;
  /** Aborted when the process stops. */
  signal?: AbortSignal;
}

/** The wait after a failure of our own. */
const ownFailureWaitMs = 1000;

/**
 * Makes a send that has begun, as a span of its reply's trace. Never throws: after a failure of our own nothing was
 * sent.
 */
export async function send(
  begun: BegunPart,
  options: CallOptions & { typing: Typing; log: Foundation['log'] },
): Promise<SendEnd> {
  const { chat, part, send } = begun;
  const { tenantId, botId, chatKey } = chat;
  const { partId, replyId, attempts, traceparent } = part;
  const ended = { tenantId, chat, partId, replyId, send };
  try {
    await failpoint('webhooks.sender.before-send');
    await options.typing.settled(botId, chatKey);
    const start = {
      name: 'send part',
      kind: 'client',
      attributes: { 'botyard.attempt': attempts + 1 },
    } as const;
    const outcome = await inTraceOf({ tenantId, traceparent }, start, async (span) => {
      const { end, ...more } = await sendPart(begun, options);
      // Adapters don't throw, so the outcome is recorded as an attribute.
      span.set({ 'botyard.state': end });
      return { end, ...more };
    });
    await failpoint('webhooks.sender.after-send');
    return { ...ended, ...outcome };
  } catch (error) {
    options.log.error({ err: error, botId }, 'a message could not be sent');
    return { ...ended, end: 'later', waitMs: ownFailureWaitMs };
  }
}

/** The end of a send, without the send. */
type Outcome = Pick<SendEnd, 'end'> & Partial<SendEnd>;

/** A send with an unknown outcome is repeated once, so that there are at most two copies. */
const maxOpenSends = 2;

/** Sends one part. A send that wasn't made because the chat was lost is left for later, and isn't counted. */
export async function sendPart(
  begun: BegunPart,
  { platform, mayCall, signal }: CallOptions,
): Promise<Outcome> {
  const { chat, part, send, openSends } = begun;
  if (openSends >= maxOpenSends)
    return { end: 'uncertain', reason: 'the platform has never confirmed it', waitMs: undefined };
  const { tenantId, botId } = chat;
  const { partId, threadId, payload, place } = part;
  const platformChatId = platformChatIdOf(chat.platform, chat.chatKey);
  const recipient = { tenantId, botId, platformChatId, threadId, place };
  const call = { ...recipient, partId, openSends, signal, send, mayCall };
  const { file } = payload as Partial<FileContent>;
  const result = file
    ? await (platform.files?.send({ ...call, payload: { file } }) ?? noFiles)
    : await platform.send({ ...call, payload });
  if (!result) return { end: 'later', waitMs: 0 };
  return { movedTo: result.movedTo, ...endOf(result, begun, platform) };
}

const noFiles: SendResult = { outcome: 'refused', reason: 'the platform takes no files' };

/** The most that a part waits because the platform asks for it. */
const maxAskedMs = 24 * 3600_000;
/** Shorter waits change nothing about what a reply is worth. */
const notedFromMs = 60_000;

/** The end of a send, by the platform's answer. */
function endOf(
  result: SendResult,
  { part: { attempts, waitedMs, worthMs }, openSends }: BegunPart,
  platform: Platform,
): Outcome {
  if (result.outcome === 'sent') return { end: 'sent', platformMessageId: result.platformMessageId ?? null };
  if (result.outcome === 'refused') {
    const { reason, isOfPlace = false, isOfReply = false } = result;
    return { end: 'refused', reason, blocksChat: isOfPlace, endsReply: isOfReply };
  }
  if (result.outcome === 'waits') {
    const { waitMs, isAsked } = result;
    if (!isAsked) return { end: 'later', reason: result.reason ?? null, waitMs };
    const { reason = 'the platform asks to wait' } = result;
    if (waitedMs + waitMs > maxAskedMs)
      return { end: 'refused', reason: `${reason} for more than a day`, endsReply: true };
    if (waitMs < notedFromMs) return { end: 'later', reason, waitMs };
    const until = new Date(Date.now() + waitMs).toISOString();
    return { end: 'later', reason: `${reason} until ${until}`, waitMs, askedMs: waitMs };
  }
  const { reason, isUnclear, isUnreached } = result;
  if (isUnreached) {
    // An outage of a platform concerns all its chats: their retries are spread.
    const waitMs = randomInt(2000, 6000);
    return waitMs < worthMs ? { end: 'later', reason, waitMs } : { end: 'refused', reason };
  }
  if (isUnclear) {
    const waitMs = platform.retryInMs(attempts + 1, Number.POSITIVE_INFINITY);
    return { end: 'uncertain', reason, waitMs: openSends + 1 < maxOpenSends ? waitMs : undefined };
  }
  // A part that certainly did not arrive is retried while it is worth sending, and then given up.
  const waitMs = platform.retryInMs(attempts + 1, worthMs);
  return { end: waitMs === undefined ? 'refused' : 'later', reason, waitMs, isAttempt: true };
}
