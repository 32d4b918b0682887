import { tryParseForeignJson } from '@botyard/shared/json/parse-json';
import { record } from '../../domain/fields.ts';
import type { ReadContent, ReadDelivery } from '../../domain/read-delivery.ts';
import type { OwnBot } from './connection.ts';
import { isGiven, kindOf } from './kinds.ts';
import { readCallback } from './read-callback.ts';
import { readMembership, readMigration } from './read-chat-event.ts';
import { readEdit, readMessage } from './read-message.ts';
import { readReaction } from './read-reaction.ts';
import { Update } from './update.ts';

/** Reads the bytes of an update. Returns `null` if they aren't JSON. */
export function readUpdateBytes(bytes: Uint8Array, bot: OwnBot): ReadDelivery | null {
  const body = tryParseForeignJson(bytes);
  return body === undefined ? null : readUpdate(body, bot);
}

/** Determines the meaning of an update for the bot. Never throws, for any input. */
export function readUpdate(body: unknown, bot: OwnBot, now = new Date()): ReadDelivery {
  const update = Update.safeParse(body);
  if (!update.success) return { malformed: 'no update_id' };
  return { eventId: String(update.data.update_id), ...readContent(update.data, bot, now) };
}

function readContent(update: Readonly<Record<string, unknown>>, bot: OwnBot, now: Date): ReadContent {
  const { message, edited_message: edited, callback_query: callback, my_chat_member: member } = update;
  const { message_reaction: reaction } = update;
  if (isGiven(message) || isGiven(edited)) {
    const written = record(message ?? edited);
    if (!written) return { ignored: 'unreadable message' };
    if (!isGiven(message)) return readEdit(written, bot);
    const migration = readMigration(written);
    return migration ? { migration } : readMessage(written, bot);
  }
  if (isGiven(callback)) {
    const read = readCallback(callback, bot, now);
    return read ? { callback: read } : { ignored: 'unreadable callback_query' };
  }
  if (isGiven(member)) return readMembership(member, bot);
  if (isGiven(reaction)) return readReaction(reaction);
  return { ignored: kindOf(update) };
}
