import type { Bot } from './types.ts';

export type NewBot = {
  token: string;
  username?: string;
  firstName?: string;
  canReadAllGroupMessages?: boolean;
};

/** The id is the token's number; names that are not given follow from it. */
export function newBot(given: NewBot): Bot {
  const id = Number(given.token.split(':', 1)[0]);
  // Counters continue from the clock, not from 1: a sandbox that forgot its state must not reuse what Botyard has already answered.
  const tenths = Math.floor((Date.now() - Date.UTC(2026, 0, 1)) / 100);
  return {
    id,
    token: given.token,
    username: given.username ?? `bot${id}`,
    firstName: given.firstName ?? given.username ?? `bot${id}`,
    canReadAllGroupMessages: given.canReadAllGroupMessages ?? false,
    webhook: undefined,
    allowedUpdates: undefined,
    nextSetWebhookAt: 0,
    commands: [],
    openCallbacks: [],
    nextUpdateId: tenths,
    nextMessageId: Math.floor(tenths / 10),
    chats: new Map(),
  };
}
