import type { Fields } from '../../domain/fields.ts';
import { actFields, eventFields } from './words/message-fields.ts';
import { wordsOfContent } from './words/references.ts';

/**
 * Kinds of updates that are ignored. Only these become labels of a counter, because a sender can invent any number of
 * others.
 */
export const ignoredKinds = [
  'channel_post',
  'edited_channel_post',
  'business_connection',
  'business_message',
  'edited_business_message',
  'deleted_business_messages',
  'guest_message',
  'stopped_message_generation',
  'message_reaction_count',
  'inline_query',
  'chosen_inline_result',
  'shipping_query',
  'pre_checkout_query',
  'purchased_paid_media',
  'poll',
  'poll_answer',
  'chat_member',
  'chat_join_request',
  'chat_boost',
  'removed_chat_boost',
  'managed_bot',
  'subscription',
];

/** The kind of an ignored update; `unknown` for one that is not in this list. */
export function kindOf(update: Readonly<Record<string, unknown>>): string {
  const ignoredKind = ignoredKinds.find((kind) => isGiven(update[kind]));
  if (ignoredKind) return ignoredKind;
  for (const name in update) if (name !== 'update_id' && isGiven(update[name])) return 'unknown';
  return 'no content';
}

/**
 * Whether a message is about an event in the chat, which was not written by a person. A gift or a payment in a private
 * chat is no such event.
 */
export function isServiceMessage(message: Fields, { isPrivate }: { isPrivate: boolean }): boolean {
  if (eventFields.some((field) => isGiven(message[field]))) return true;
  return (
    actFields.some((field) => isGiven(message[field])) &&
    !(isPrivate && wordsOfContent(message) !== undefined)
  );
}

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
