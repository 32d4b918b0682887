/**
 * The fake's memory as JSON, so that the sandbox keeps its bots, webhooks and chats across a restart. It contains bot
 * tokens.
 */
import type { Bot, Chat, Delivery } from './types.ts';

export type MessengerState = {
  version: 1;
  bots: (Omit<Bot, 'chats'> & { chats: [string, Chat][]; pending: Delivery[] })[];
};

export function exportBots(bots: Iterable<Bot>, pendingOf: (bot: Bot) => Delivery[]): MessengerState {
  const exported = [...bots].map((bot) => ({ ...bot, chats: [...bot.chats], pending: pendingOf(bot) }));
  return { version: 1, bots: exported };
}

/** Returns `undefined` for anything that this version did not write: a sandbox then starts empty. */
export function readState(value: unknown): MessengerState | undefined {
  const isState =
    typeof value === 'object' &&
    value !== null &&
    'version' in value &&
    value.version === 1 &&
    'bots' in value;
  return isState && Array.isArray(value.bots) ? (value as MessengerState) : undefined;
}
