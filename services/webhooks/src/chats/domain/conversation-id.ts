import { chatKeyOf, type PlatformName } from '@botyard/contracts/http/platform';
import { v5 as uuidv5 } from 'uuid';

/** Namespace of conversation identifiers: the same bot, chat and topic always give the same one. */
const conversationNamespace = '5b0f6a1e-6f6c-4b5b-9a53-2f7f0f6a3c11';

interface Part {
  threadId?: string | undefined;
  receiverId?: string | undefined;
}

/**
 * A chat that became another one keeps its first number, so that its conversation stays the same. Unseen
 * messages of one person in a group are a conversation of their own: nothing of it may reach the others.
 */
export const conversationIdOf = (
  { botId, platform }: { botId: string; platform: PlatformName },
  firstChatId: string,
  part: Part = {},
): string => {
  const { threadId = '', receiverId } = part;
  const unseen = receiverId === undefined ? '' : `/${receiverId}`;
  return uuidv5(`${botId}/${chatKeyOf(platform, firstChatId)}/${threadId}${unseen}`, conversationNamespace);
};
