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

/** Fields that only a quotation is read from: whatever is wrong in one of them, the message itself is not lost. */
const loose = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);
const LooseUser = loose(
  z.object({
    id: z.number().int(),
    is_bot: loose(z.boolean()),
    first_name: loose(z.string()),
    last_name: loose(z.string()),
    username: loose(z.string()),
  }),
);
const LooseChat = loose(
  z.object({
    id: z.number().int(),
    title: loose(z.string()),
    username: loose(z.string()),
    first_name: loose(z.string()),
    last_name: loose(z.string()),
  }),
);

/** The message that another one replies to, in the same chat. */
const RepliedTo = z.object({
  message_id: loose(z.number().int()),
  from: LooseUser,
  sender_chat: LooseChat,
  forum_topic_created: z.unknown().optional(),
  text: loose(z.string()),
  caption: loose(z.string()),
});

/** Where the replied-to message stands in another chat or topic. Its text comes as the `quote` alone. */
const ExternalReply = z.object({
  /** Of a person (`sender_user`), one who hides their account (`sender_user_name`), a group or a channel. */
  origin: loose(
    z.object({
      sender_user: LooseUser,
      sender_user_name: loose(z.string()),
      sender_chat: LooseChat,
      chat: LooseChat,
    }),
  ),
  chat: LooseChat,
  message_id: loose(z.number().int()),
});

export const PlatformMessage = z.object({
  message_id: z.number().int(),
  from: User.nullish(),
  sender_chat: Chat.nullish(),
  chat: Chat,
  date: z.number().int().nonnegative(),
  message_thread_id: z.number().int().nullish(),
  is_topic_message: z.boolean().nullish(),
  is_automatic_forward: z.boolean().nullish(),
  reply_to_message: loose(RepliedTo),
  quote: loose(z.object({ text: z.string() })),
  external_reply: loose(ExternalReply),
  text: z.string().nullish(),
  caption: z.string().nullish(),
  entities: z.array(Entity).nullish(),
  caption_entities: z.array(Entity).nullish(),
});
export type PlatformMessage = z.output<typeof PlatformMessage>;

/** A plain message in a topic "replies" to the message that opened the topic: nobody chose to answer that one. */
export const opensTopic = (target: PlatformMessage['reply_to_message']): boolean =>
  (target?.forum_topic_created ?? undefined) !== undefined;

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
