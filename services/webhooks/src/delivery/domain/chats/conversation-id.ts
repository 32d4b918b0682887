import { v5 as uuidv5 } from 'uuid';

/** Namespace of conversation identifiers: the same bot, chat and topic always give the same one. */
const conversationNamespace = '5b0f6a1e-6f6c-4b5b-9a53-2f7f0f6a3c11';

/** A chat that became another one keeps its first number, so that its conversation stays the same. */
export const conversationIdOf = (botId: string, firstChatId: string, threadId = ''): string =>
  uuidv5(`${botId}/${firstChatId}/${threadId}`, conversationNamespace);
