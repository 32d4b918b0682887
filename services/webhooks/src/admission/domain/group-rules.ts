import type { ChatPlace } from '@botyard/contracts/events/webhooks';
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
  if (chat.kind === 'private' || chat.receiverId !== undefined || addressedBy) return 'addressed';
  if (isOpen(chat, openGroups)) return 'overheard';
  return chat.threadKind === 'thread' ? 'thread' : 'none';
}

/** Topics have rules; a thread has those of the messages around it. */
function isOpen(
  { platformChatId, threadId, threadKind }: ChatPlace,
  openGroups: Endpoint['openGroups'],
): boolean {
  const topics = openGroups.get(platformChatId);
  if (topics === undefined || topics === null) return topics === null;
  const topic = threadKind === 'thread' ? undefined : threadId;
  return topics.includes(topic ?? 'general');
}
