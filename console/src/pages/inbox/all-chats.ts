export const chatsPath = '/api/interactions/chats';

/** The query of the inbox when nothing narrows its list. A page of it is about three screens. */
export const allChats = { queue: 'all', sort: '-lastMessageAt', limit: 30 } as const;
