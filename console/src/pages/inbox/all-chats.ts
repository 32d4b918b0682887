export const chatsPath = '/api/interactions/chats';

/** The query of the inbox when nothing narrows its list. */
export const allChats = { queue: 'all', sort: '-lastMessageAt' } as const;
