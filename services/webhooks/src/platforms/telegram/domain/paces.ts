import type { Paces } from '../../domain/paces.ts';

/** Private chats: one a second on average. Groups: 17 a minute and bursts of 3, so never more than 20 in any minute. */
const intervalMs = { ofPrivateChat: 1000, ofGroup: 60_000 / 17 };

export const paces: Paces = {
  // 25 a second and bursts of 5, so never more than 30 in any second.
  bot: { intervalMs: 1000 / 25, burst: 5 },
  chatBurst: 3,
  // The platform's ids of groups and channels are negative.
  chatIntervalMs: (platformChatId) =>
    platformChatId.startsWith('-') ? intervalMs.ofGroup : intervalMs.ofPrivateChat,
};
