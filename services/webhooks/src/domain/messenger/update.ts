import { z } from 'zod';

/** The parts of the platform's updates that we read. Unknown fields and kinds are tolerated: new ones come every month. */
const User = z.object({
  id: z.number().int(),
  is_bot: z.boolean().nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  username: z.string().nullish(),
});

const Chat = z.object({
  id: z.number().int(),
  type: z.enum(['private', 'group', 'supergroup', 'channel']),
  title: z.string().nullish(),
  username: z.string().nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
});
export type PlatformChat = z.output<typeof Chat>;

/** Offsets and lengths count UTF-16 units, as JavaScript strings do. */
const Entity = z.object({
  type: z.string(),
  offset: z.number().int().nonnegative(),
  length: z.number().int().nonnegative(),
  user: User.nullish(),
});
export type Entity = z.output<typeof Entity>;

export const PlatformMessage = z.object({
  message_id: z.number().int(),
  from: User.nullish(),
  sender_chat: Chat.nullish(),
  chat: Chat,
  date: z.number().int().nonnegative(),
  message_thread_id: z.number().int().nullish(),
  is_topic_message: z.boolean().nullish(),
  is_automatic_forward: z.boolean().nullish(),
  reply_to_message: z.object({ from: User.nullish(), forum_topic_created: z.unknown().optional() }).nullish(),
  text: z.string().nullish(),
  caption: z.string().nullish(),
  entities: z.array(Entity).nullish(),
  caption_entities: z.array(Entity).nullish(),
});
export type PlatformMessage = z.output<typeof PlatformMessage>;

/** `update_id` is what tells an update from another; nothing else is required of one. */
export const Update = z.looseObject({ update_id: z.number().int() });

/** Kinds of updates besides messages. Only these become labels of a counter: a sender can make up any number of others. */
const otherKinds = new Set([
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'business_connection',
  'business_message',
  'edited_business_message',
  'deleted_business_messages',
  'guest_message',
  'stopped_message_generation',
  'message_reaction',
  'message_reaction_count',
  'inline_query',
  'chosen_inline_result',
  'callback_query',
  'shipping_query',
  'pre_checkout_query',
  'purchased_paid_media',
  'poll',
  'poll_answer',
  'my_chat_member',
  'chat_member',
  'chat_join_request',
  'chat_boost',
  'removed_chat_boost',
  'managed_bot',
  'subscription',
]);

/** The kind of an update that is no message; `unknown` for one that was invented after this list. */
export function kindOf(update: Readonly<Record<string, unknown>>): string {
  const kinds = Object.keys(update).filter((name) => name !== 'update_id');
  if (kinds.length === 0) return 'no content';
  return kinds.find((kind) => otherKinds.has(kind)) ?? 'unknown';
}

/** Fields of messages that tell of an event in the chat instead of something that a person said. */
const serviceFields = [
  'new_chat_members',
  'left_chat_member',
  'new_chat_title',
  'new_chat_photo',
  'delete_chat_photo',
  'group_chat_created',
  'supergroup_chat_created',
  'channel_chat_created',
  'message_auto_delete_timer_changed',
  'migrate_to_chat_id',
  'migrate_from_chat_id',
  'pinned_message',
  'successful_payment',
  'refunded_payment',
  'users_shared',
  'chat_shared',
  'connected_website',
  'write_access_allowed',
  'passport_data',
  'proximity_alert_triggered',
  'boost_added',
  'chat_background_set',
  'forum_topic_created',
  'forum_topic_edited',
  'forum_topic_closed',
  'forum_topic_reopened',
  'general_forum_topic_hidden',
  'general_forum_topic_unhidden',
  'giveaway_created',
  'giveaway_completed',
  'video_chat_scheduled',
  'video_chat_started',
  'video_chat_ended',
  'video_chat_participants_invited',
  'web_app_data',
] as const;

export function isServiceMessage(message: Readonly<Record<string, unknown>>): boolean {
  return serviceFields.some((field) => message[field] !== undefined && message[field] !== null);
}
