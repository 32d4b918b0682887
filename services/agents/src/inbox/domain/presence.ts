import { type StaffPresence, staffPresence } from '@botyard/contracts/events/chat-hints';
import { signal as sendSignal } from '@botyard/shared/bus/signals';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { getConversationByChat } from '../../conversations/store/chats.ts';
import { staffNames } from '../../takeover/domain/write-message.ts';
import type { Deps } from '../deps.ts';

/**
 * Shows the other staff that a user is at a chat, or has left it. Calls beyond the pace have no effect.
 * @throws HttpError 404.
 */
export async function showPresence(
  deps: Pick<Deps, 'database' | 'bus' | 'log' | 'presencePace'>,
  { tenantId, chatId, userId }: { tenantId: string; chatId: string; userId: string },
  state: StaffPresence['state'],
): Promise<void> {
  const { conversationId, botId, platform, place, isWithPerson } = await withTenant(
    deps.database,
    [tenantId],
    async (tx) => found(await getConversationByChat(tx, tenantId, chatId), 'chat'),
  );
  if (!deps.presencePace.admits({ tenantId, userId })) return;
  const names = await staffNames(deps, tenantId, [{ staffUserId: userId }]);
  sendSignal(deps.bus, staffPresence, {
    tenantId,
    botId,
    conversationId,
    chatId,
    platform,
    chat: { platformChatId: place.platformChatId, threadId: place.threadId },
    handling: isWithPerson ? 'person' : 'bot',
    userId,
    name: names.get(userId),
    state,
  });
}
