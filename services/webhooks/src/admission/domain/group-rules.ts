import type { ReadMessage } from '../../platforms/domain/read-delivery.ts';
import type { Endpoint } from '../../platforms/platform.ts';

/**
 * Why a message is for the bot: it is addressed, or the bot answers everything in this place. `thread`: if the bot
 * takes part in the thread.
 */
type Hearing = 'addressed' | 'overheard' | 'thread' | 'none';

/**
 * Whether a message is for the bot, by the same rules on every platform (REQ-CHAT-6): each one in private, and each one
 * that only the bot sees. In a group those that address it, and the others in a thread that it was called into. If it
 * answers everything in the group or topic, the rest there is overheard.
 */
export function hearingOf(
  { chat, addressedBy }: Pick<ReadMessage, 'chat' | 'addressedBy'>,
  openGroups: Endpoint['openGroups'],
): Hearing {
  const { kind, receiverId, platformChatId, threadId, threadKind } = chat;
  if (kind === 'private' || receiverId !== undefined || addressedBy) return 'addressed';
  // Topics have rules; a thread has those of the messages around it.
  const topic = (threadKind === 'thread' ? undefined : threadId) ?? 'general';
  const openTopics = openGroups.get(platformChatId);
  if (openTopics === null || openTopics?.includes(topic)) return 'overheard';
  return threadKind === 'thread' ? 'thread' : 'none';
}
