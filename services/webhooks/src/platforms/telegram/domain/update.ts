import { z } from 'zod';
import { loose } from '../../domain/fields.ts';

/** Language of a person's app; an invalid one is ignored. */
const languageCode = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/)
  .nullish()
  .catch(undefined);

/**
 * The parts of the platform's updates that are read. Unknown fields and kinds are tolerated: new ones are added every
 * month.
 */
export const User = z.object({
  id: z.number().int(),
  is_bot: z.boolean().nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  username: z.string().nullish(),
  language_code: languageCode,
});

export const Chat = z.object({
  id: z.number().int(),
  type: z.enum(['private', 'group', 'supergroup', 'channel']),
  title: z.string().nullish(),
  username: z.string().nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  /** The mailbox of a channel: an answer would need to name an unknown topic. */
  is_direct_messages: loose(z.boolean()),
});
export type PlatformChat = z.output<typeof Chat>;

/** Offsets and lengths count UTF-16 units, as JavaScript strings do. */
export const Entity = z.object({
  type: z.string(),
  offset: z.number().int().nonnegative(),
  length: z.number().int().nonnegative(),
  user: loose(z.object({ id: z.number().int() })),
  /** The address behind a link. */
  url: loose(z.string()),
  /** The language of a block of code. */
  language: loose(z.string()),
  /** The moment of a date, in seconds. */
  unix_time: loose(z.number()),
});
export type Entity = z.output<typeof Entity>;

/** The first items of a list, cut before any is parsed. */
export const first = <Item extends z.ZodType>(count: number, item: Item) =>
  z.preprocess((value) => (Array.isArray(value) ? value.slice(0, count) : value), z.array(item).nullish());

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
});

/** A replied-to message in another chat or topic. Its text is only in the `quote`. */
const ExternalReply = z.object({
  /** A person (`sender_user`), a person who hides their account (`sender_user_name`), a group or a channel. */
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
  edit_date: loose(z.number().int().nonnegative()),
  media_group_id: loose(z.string()),
  via_bot: LooseUser,
  business_connection_id: loose(z.string()),
  guest_query_id: loose(z.string()),
  reply_to_message: loose(RepliedTo),
  /** Set on a message that only its sender and `receiver_user` see. */
  ephemeral_message_id: loose(z.number().int()),
  receiver_user: LooseUser,
  external_reply: loose(ExternalReply),
  text: z.string().nullish(),
  caption: z.string().nullish(),
});
export type PlatformMessage = z.output<typeof PlatformMessage>;

/** True for the message that opened a topic: the platform marks plain messages in the topic as replies to it. */
export const opensTopic = (target: PlatformMessage['reply_to_message']): boolean =>
  (target?.forum_topic_created ?? undefined) !== undefined;

/** `update_id` identifies an update; nothing else is required. */
export const Update = z.looseObject({ update_id: z.number().int() });
