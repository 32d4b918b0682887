import type { TenantTx } from '@botyard/shared/db/database';
import { markBlocked, toOwnChat } from '../../chats/domain/chat-state.ts';
import { migrateChat } from '../../chats/domain/migrate-chat.ts';
import type { SendDeps } from '../deps.ts';
import type { ClaimedChat } from '../store/chats.ts';
import { giveUpRestOf, noteWait } from '../store/given-up-parts.ts';
import type { ReplyKey } from '../store/replies.ts';
import type { SendEnd } from './send-end.ts';

type ChangeDeps = Pick<SendDeps, 'outbox' | 'platforms' | 'wakeSender'>;
/** Returns further replies of which it gave parts up. */
type Change = (deps: ChangeDeps, tx: TenantTx, end: SendEnd, chat: ClaimedChat) => Promise<ReplyKey[]>;

/** The changes to the rest of a chat's queue that the end of a send can ask for, in the order of their writing. */
const changes: Record<'endsReply' | 'askedMs' | 'movedTo' | 'blocksChat', Change> = {
  endsReply: async (_deps, tx, { tenantId, replyId, reason }) => {
    if (replyId !== null) await giveUpRestOf(tx, { tenantId, replyId, reason: reason ?? '' });
    return [];
  },
  askedMs: async (_deps, tx, { askedMs = 0 }, chat) => {
    await noteWait(tx, chat, askedMs);
    return [];
  },
  movedTo: async (deps, tx, { movedTo: toChatId = '', waitMs }, chat) => {
    const { platformChatId: fromChatId, ...own } = toOwnChat(chat);
    if (toChatId !== fromChatId)
      await migrateChat(deps, tx, { ...own, fromChatId, toChatId }, { isHeld: true, waitMs });
    return [];
  },
  blocksChat: (deps, tx, { movedTo, reason }, chat) => {
    const own = toOwnChat(chat);
    const blocked = { ...own, platformChatId: movedTo ?? own.platformChatId };
    return markBlocked(deps, tx, blocked, { reason: reason ?? '', isHeld: true });
  },
};
const changeNames = Object.keys(changes) as (keyof typeof changes)[];

/** The changes that the end asks for, to be made in their order while the chat is held. */
export const changesBy = (end: SendEnd): Change[] =>
  changeNames.flatMap((name) => (end[name] ? changes[name] : []));
