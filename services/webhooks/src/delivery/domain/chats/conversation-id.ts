import { v5 as uuidv5 } from 'uuid';

/** Namespace of conversation identifiers: the same bot, chat and topic give the same one for ever. */
const conversationNamespace = '5b0f6a1e-6f6c-4b5b-9a53-2f7f0f6a3c11';

/** A chat that became another keeps the number that it had first: its conversation stays the same one. */
export const conversationIdOf = (botId: string, firstChatId: string, threadId = ''): string =>
  uuidv5(`${botId}/${firstChatId}/${threadId}`, conversationNamespace);
