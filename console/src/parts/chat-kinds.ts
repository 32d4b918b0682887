/** The chats that a rule of a bot is for, as choices of a form. */
export const chatKinds = [
  ['', 'All chats'],
  ['private', 'Private chats'],
  ['group', 'Groups'],
  ['channel', 'Channels'],
] as const;
