import type { UpdateChatBody } from '@botyard/contracts/http/interactions-inbox';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import { getConversationByChat } from '../../conversations/store/chats.ts';
import type { ConversationKey } from '../../store/conversation-of.ts';
import { announceChat, giveLockedChatBack, requireChat } from '../../takeover/domain/take-over.ts';
import { insertChange } from '../../takeover/store/changes.ts';
import { saveStaff } from '../../takeover/store/staff.ts';
import type { Deps } from '../deps.ts';
import { saveRead, saveState } from '../store/chat-state.ts';
import { requireLabels } from './labels.ts';

interface ChatOfUser {
  tenantId: string;
  chatId: string;
  userId: string;
}

/**
 * Changes the chat's state and labels, and whether it is unread for the user. A resolved chat goes back to its bot.
 * @throws HttpError 404; 422 for a label that doesn't exist.
 */
export async function updateChat(
  deps: Pick<Deps, 'database' | 'outbox'>,
  { tenantId, chatId, userId }: ChatOfUser,
  { isUnread, ...change }: UpdateChatBody,
): Promise<void> {
  const isForAll = change.state !== undefined || change.labels !== undefined;
  await withTenant(deps.database, [tenantId], async (tx) => {
    const chat = isForAll
      ? await changeChat(deps, tx, { tenantId, chatId, userId }, change)
      : await readChat(tx, tenantId, chatId);
    if (isUnread === undefined) return;
    await saveRead(tx, chat, { staffId: await saveStaff(tx, tenantId, userId), isUnread });
  });
}

async function readChat(tx: TenantTx, tenantId: string, chatId: string): Promise<ConversationKey> {
  const chat = await getConversationByChat(tx, tenantId, chatId);
  if (!chat) throw notFound('chat');
  return chat;
}

const changeOfState = {
  open: 'opened',
  waiting: 'waiting',
  snoozed: 'snoozed',
  resolved: 'resolved',
} as const;

async function changeChat(
  deps: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  { tenantId, chatId, userId }: ChatOfUser,
  { state, snoozedUntil, labels }: Omit<UpdateChatBody, 'isUnread'>,
): Promise<ConversationKey> {
  const chat = await requireChat(tx, tenantId, chatId);
  const labelIds = labels ? await requireLabels(tx, tenantId, labels) : null;
  if (state === 'resolved') await giveLockedChatBack(deps, tx, chat);
  if (state !== undefined && (state !== chat.state || state === 'snoozed'))
    await insertChange(tx, chat, {
      kind: changeOfState[state],
      staffId: await saveStaff(tx, tenantId, userId),
      snoozedUntil,
    });
  await saveState(tx, chat, { state: state ?? null, snoozedUntil: snoozedUntil ?? null, labelIds });
  await announceChat(deps, tx, chat);
  return chat;
}
