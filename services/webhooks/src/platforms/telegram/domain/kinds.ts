/**
 * Kinds of updates that are ignored. Only these become labels of a counter, because a sender can invent any number of
 * others.
 */
const otherKinds = [
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
  const known = otherKinds.find((kind) => isGiven(update[kind]));
  if (known) return known;
  for (const name in update) if (name !== 'update_id' && isGiven(update[name])) return 'unknown';
  return 'no content';
}

/** Fields of messages about an event in the chat, which were not written by a person. */
const serviceFields = [
  'new_chat_members',
  'new_chat_member',
  'new_chat_participant',
  'left_chat_member',
  'left_chat_participant',
  'chat_owner_left',
  'chat_owner_changed',
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
  'user_shared',
  'chat_shared',
  'gift',
  'unique_gift',
  'gift_upgrade_sent',
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
  'checklist_tasks_done',
  'checklist_tasks_added',
  'direct_message_price_changed',
  'paid_message_price_changed',
  'poll_option_added',
  'poll_option_deleted',
  'suggested_post_approved',
  'suggested_post_approval_failed',
  'suggested_post_declined',
  'suggested_post_paid',
  'suggested_post_refunded',
  'managed_bot_created',
] as const;

export function isServiceMessage(message: Readonly<Record<string, unknown>>): boolean {
  return serviceFields.some((field) => isGiven(message[field]));
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
