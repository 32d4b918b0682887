import { type Fields, record, textOf } from '../../domain/fields.ts';
import type { ReadContent } from '../../domain/read-delivery.ts';
import { isChannel, isPerson, isTimestamp, momentOf, placeOf, type Reading } from './place.ts';
import { editedMessage, otherFileIdsOf, reasonToIgnore } from './read-message.ts';

/** A person deleted a message: it is gone, or a tombstone stands for it while others answer in its thread. */
export function readDeletion(event: Fields, reading: Reading): ReadContent {
  const isTombstone = event.subtype === 'message_changed';
  const deletedTs = isTombstone ? editedMessage(event).ts : event.deleted_ts;
  const { channel } = event;
  if (!isChannel(channel) || !isTimestamp(deletedTs)) return { ignored: 'unreadable deletion' };
  const before: Fields = { ...record(event.previous_message), channel, ts: deletedTs };
  const ignored = event.previous_message === undefined ? undefined : reasonToIgnore(before, reading.bot);
  if (ignored) return { ignored };
  const { threadId } = placeOf(before, channel, reading);
  return {
    deletion: {
      platformChatId: channel,
      ...(threadId === undefined ? {} : { threadId }),
      platformMessageId: deletedTs,
      otherMessageIds: otherFileIdsOf(deletedTs),
      ...(isTimestamp(event.event_ts) ? { deletedAt: momentOf(event.event_ts) } : {}),
    },
  };
}

/** The events that end the bot's presence in a channel, with the reason that is shown. */
const ends: Readonly<Record<string, string>> = {
  member_left_channel: 'the bot was removed from the channel',
  channel_left: 'the bot was removed from the channel',
  group_left: 'the bot was removed from the channel',
  channel_archive: 'the channel was archived',
  group_archive: 'the channel was archived',
  channel_deleted: 'the channel was deleted',
  group_deleted: 'the channel was deleted',
};
const begins = new Set([
  'member_joined_channel',
  'channel_unarchive',
  'group_unarchive',
  // A person opens the direct messages with the bot, as the agent view does.
  'app_home_opened',
]);
const ofMembers = new Set(['member_left_channel', 'member_joined_channel']);

/** A change of a channel, or `undefined` if the event is none. */
export function readChat(event: Fields, seconds: number, { bot }: Reading): ReadContent | undefined {
  const { type, channel, user } = event;
  if (type === 'channel_id_changed') return readMove(event);
  const reason = ends[textOf(type)];
  if (reason === undefined && !begins.has(textOf(type))) return undefined;
  if (ofMembers.has(textOf(type)) && user !== bot.botUserId) return { ignored: "another member's change" };
  if (!isChannel(channel)) return { ignored: 'a change of no channel' };
  const membership = { platformChatId: channel, happenedAt: seconds };
  return reason === undefined
    ? { membership: { ...membership, state: 'active' } }
    : { membership: { ...membership, state: 'blocked', reason } };
}

/** A channel gets another identifier when it is shared with other workspaces. */
function readMove({ old_channel_id: from, new_channel_id: to }: Fields): ReadContent {
  if (!isChannel(from) || !isChannel(to)) return { ignored: 'a change of no channel' };
  return { migration: { fromChatId: from, toChatId: to } };
}

/** The end of an installation, or `undefined` if the event is none. Both events may come, in any order. */
export function readAccount(event: Fields, seconds: number, { bot }: Reading): ReadContent | undefined {
  const happenedAt = momentOf(String(seconds));
  if (event.type === 'app_uninstalled')
    return { account: { state: 'removed', reason: 'the app was removed from the workspace', happenedAt } };
  if (event.type !== 'tokens_revoked') return undefined;
  const revoked = record(event.tokens)?.bot;
  const isOurs = Array.isArray(revoked) && revoked.filter(isPerson).includes(bot.botUserId);
  if (!isOurs) return { ignored: "another token's end" };
  return { account: { state: 'removed', reason: 'the token of the bot was revoked', happenedAt } };
}
