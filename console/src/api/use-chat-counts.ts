import { useAnswer } from './use-answer.ts';

const path = '/api/interactions/chats/counts';
const live = { events: ['chat.updated', 'message.received'] } as const;

/** The counts of chats by queue, for the shell: it keeps them up to date for all pages. */
export const useShellChatCounts = (enabled: boolean) => useAnswer(path, { enabled, live });

/** The counts of chats by queue. Those of all bots are the shell's, so that an event refetches them once. */
export const useChatCounts = (botId?: string) =>
  useAnswer(path, botId === undefined ? {} : { query: { botId }, live });
