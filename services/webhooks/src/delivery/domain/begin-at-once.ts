import type { PlatformName } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Room } from '@botyard/shared/work/room';
import type { Deps } from '../../deps.ts';
import type { Paces } from '../../platforms/platform.ts';
import { type BegunReply, beginReplies } from '../store/begin-replies.ts';
import type { NewPart, NewReply } from '../store/replies.ts';
import type { ChatToServe } from './sending/sender.ts';
import type { UnmadeSends } from './sending/unmade-sends.ts';

export interface ReplyToSend {
  reply: NewReply;
  /** The person who receives the reply. */
  personId: string;
  parts: readonly NewPart[];
}

/** Sends that begin with the transaction that queues them. */
export interface ImmediateSends {
  /** Returns `undefined` when this process currently has no room for more of the tenant's chats. */
  reserve(platform: PlatformName, tenantId: string): Room<ChatToServe> | undefined;
  unmade: UnmadeSends;
}

interface Reserved extends ReplyToSend {
  room: Room<ChatToServe>;
}

/**
 * Queues replies and begins to send them in one statement if their chats are free, and returns those replies. Other
 * replies are unchanged. All statements are sent to the database within the same tick as the call.
 */
export async function beginAtOnce(
  deps: BeginDeps,
  tx: TenantTx,
  replies: readonly ReplyToSend[],
): Promise<ReadonlySet<string>> {
  const begun = Object.values(deps.platforms).map(async ({ name, paces }) =>
    paces ? await beginOnPlatform(deps, tx, { name, paces, replies }) : [],
  );
  return new Set((await Promise.all(begun)).flat());
}

type BeginDeps = Pick<Deps, 'immediateSends' | 'heartbeat' | 'platforms'>;

async function beginOnPlatform(
  { immediateSends, heartbeat }: BeginDeps,
  tx: TenantTx,
  { name, paces, replies }: { name: PlatformName; paces: Paces; replies: readonly ReplyToSend[] },
): Promise<string[]> {
  const reserved = replies.flatMap((one): Reserved[] => {
    const room = one.reply.platform === name ? immediateSends.reserve(name, one.reply.tenantId) : undefined;
    return room ? [{ ...one, room }] : [];
  });
  if (reserved.length === 0) return [];
  tx.afterFailure((mayBeCommitted) => {
    for (const { room, parts } of reserved) {
      if (mayBeCommitted) immediateSends.unmade.note(parts[0]!.partId);
      room.giveBack();
    }
  });
  const heldSince = performance.now();
  const toBegin = reserved.map(({ reply, personId, parts }) => {
    const { platformChatId } = reply.place;
    return { reply, personId, parts, platformChatId, intervalMs: paces.chatIntervalMs(platformChatId) };
  });
  const { bot, chatBurst } = paces;
  const options = { processId: heartbeat.processId, bot, chatBurst };
  const begun = new Map((await beginReplies(tx, toBegin, options)).map((one) => [one.replyId, one]));
  tx.afterCommit(() => {
    for (const one of reserved) {
      const found = begun.get(one.reply.replyId);
      if (found) one.room.run(toServe(one, found, heldSince));
      else one.room.giveBack();
    }
  });
  return [...begun.keys()];
}

function toServe({ reply, parts }: ReplyToSend, begun: BegunReply, heldSince: number): ChatToServe {
  const { tenantId, botId, integrationId, platform, place, traceparent } = reply;
  const conversationId = parts.length === 1 ? reply.conversationId : null;
  const { fence, hasBegun, worthMs } = begun;
  const { platformChatId } = place;
  const chat = { tenantId, botId, integrationId, platform, platformChatId, fence };
  if (!hasBegun) return chat;
  const { partId, replyId, threadId = null, payload } = parts[0]!;
  const none = { attempts: 0, waitedMs: 0, sends: 0, openSends: 0, wasBegun: false };
  const part = { partId, replyId, threadId, payload, place, conversationId, traceparent, worthMs, ...none };
  return { ...chat, begun: { part, heldSince } };
}
