import { chatUpdated, handlingChanged } from '@botyard/contracts/events/agents';
import { findStaff } from '@botyard/contracts/events/tenancy';
import { ask } from '@botyard/shared/bus/requests';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, notFound, unprocessable } from '@botyard/shared/http/errors';
import { getBotOfChat } from '../../conversations/store/bot-of.ts';
import type { ConversationKey } from '../../store/conversation-of.ts';
import type { Deps } from '../deps.ts';
import { insertChange } from '../store/changes.ts';
import {
  giveConversationBack,
  type LockedChat,
  lockChat,
  settleHandback,
  takeConversation,
  wasTaken,
} from '../store/handling.ts';
import { saveStaff } from '../store/staff.ts';

type HandlingDeps = Pick<Deps, 'database' | 'bus' | 'outbox'>;

interface Handled {
  tenantId: string;
  chatId: string;
}

/**
 * Gives the chat to a person, or reassigns a chat that a person already handles. `null` means no particular person.
 * @throws HttpError 404; 409 when its bot is deleted; 422 for a person who isn't a member of the tenant; 503 when that
 * can't be checked.
 */
export async function takeOverChat(
  deps: HandlingDeps,
  { tenantId, chatId }: Handled,
  { callerUserId, assigneeUserId }: { callerUserId: string; assigneeUserId: string | null },
): Promise<void> {
  // The caller's access to the tenant has been checked. An operator needn't be a member of it.
  if (assigneeUserId !== null && assigneeUserId !== callerUserId)
    await requireStaff(deps, { tenantId, chatId }, assigneeUserId);
  await withTenant(deps.database, [tenantId], async (tx) => {
    const chat = await requireChat(tx, tenantId, chatId);
    if (chat.isBotDeleted) throw conflict('the bot of this chat is deleted');
    const assigneeStaffId = assigneeUserId === null ? null : await saveStaff(tx, tenantId, assigneeUserId);
    const staffId = await saveStaff(tx, tenantId, callerUserId);
    await takeConversation(tx, chat, { assigneeStaffId });
    await recordTakeover(tx, chat, { staffId, assigneeStaffId });
    await announce(deps, tx, chat, 'person');
  });
}

async function recordTakeover(
  tx: TenantTx,
  chat: LockedChat,
  { staffId, assigneeStaffId }: { staffId: string; assigneeStaffId: string | null },
): Promise<void> {
  if (chat.isWithPerson && chat.assigneeStaffId === assigneeStaffId) return;
  const kind = assigneeStaffId === staffId && !chat.isWithPerson ? 'taken_over' : 'assigned';
  await insertChange(tx, chat, { kind, staffId, assigneeStaffId });
}

async function requireStaff(
  { bus, database }: HandlingDeps,
  { tenantId, chatId }: Handled,
  userId: string,
): Promise<void> {
  const botId = await withTenant(database, [tenantId], (tx) => getBotOfChat(tx, tenantId, chatId));
  if (botId === undefined) throw notFound('chat');
  const { staff } = await ask(bus, findStaff, { tenantId, userIds: [userId], botId });
  if (staff.length > 0) return;
  throw unprocessable('the assignee is not a member of this tenant', {
    issues: [{ path: 'assigneeUserId', message: 'is not a member of this tenant' }],
  });
}

/**
 * Gives the chat back to its bot, which answers from the next message on. Has no effect on a chat that the bot already
 * handles. @throws HttpError 404.
 */
export async function handBackChat(
  deps: HandlingDeps,
  { tenantId, chatId, userId }: Handled & { userId: string },
): Promise<void> {
  await withTenant(deps.database, [tenantId], async (tx) => {
    const chat = await requireChat(tx, tenantId, chatId);
    if (!(await giveLockedChatBack(deps, tx, chat))) return;
    await insertChange(tx, chat, { kind: 'handed_back', staffId: await saveStaff(tx, tenantId, userId) });
  });
}

/** Returns `false` when the bot already has the chat. */
export async function giveLockedChatBack(
  deps: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  chat: LockedChat,
): Promise<boolean> {
  if (!(await giveConversationBack(tx, chat))) return false;
  await announce(deps, tx, chat, 'bot');
  return true;
}

/** @throws HttpError 409 while a person handles the chat, because no agent answers in it. */
export async function requireBotHandles(
  deps: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  conversation: ConversationKey & Handled,
): Promise<void> {
  if (!(await wasTaken(tx, conversation))) return;
  const chat = await requireChat(tx, conversation.tenantId, conversation.chatId);
  if (chat.isWithPerson)
    throw conflict(
      'a person handles this chat, so the bot would not answer: give the chat back to the bot first',
    );
  if (await settleHandback(tx, chat)) await announce(deps, tx, chat, 'bot');
}

export const requireChat = async (tx: TenantTx, tenantId: string, chatId: string): Promise<LockedChat> =>
  found(await lockChat(tx, tenantId, chatId), 'chat');

const announce = (
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  { tenantId, conversationId }: ConversationKey,
  handling: 'bot' | 'person',
) => outbox.emit(tx, handlingChanged, { tenantId, conversationId, handling });

/** Announces that the chat's state, labels or notes changed. */
export const announceChat = (
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  { tenantId, conversationId }: ConversationKey,
) => outbox.emit(tx, chatUpdated, { tenantId, conversationId });
