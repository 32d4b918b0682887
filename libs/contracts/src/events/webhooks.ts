import { z } from 'zod';
import { PlatformName } from '../http/platform.ts';
import { Attachment, MailDocument } from './attachments.ts';
import { defineEvent } from './definition.ts';

/**
 * The place of a conversation on its platform. `threadId` is set in a part of a chat that is a conversation of its own.
 */
export const ChatPlace = z.object({
  platformChatId: z.string(),
  kind: z.enum(['private', 'group', 'channel']),
  title: z.string(),
  threadId: z.string().optional(),
  /** Absent: a topic, which may have rules. A `thread` has those of the chat around it. */
  threadKind: z.enum(['topic', 'thread']).optional(),
  /** The name of the topic, if the platform gives it. */
  threadTitle: z.string().optional(),
  /** In a group: the person who alone sees the conversation, beside the bot. */
  receiverId: z.string().optional(),
  /** The platform's identifier of the newest message that only the bot saw, for the answer to it. */
  receivedId: z.string().optional(),
  /** The group that became this one: permissions from there apply here. */
  migratedFrom: z.string().optional(),
});
export type ChatPlace = z.output<typeof ChatPlace>;

/** Author of the quoted message. */
export const QuoteAuthor = z.object({
  /** Absent where the platform hides the account. */
  platformUserId: z.string().optional(),
  name: z.string(),
  isBot: z.boolean(),
});
export type QuoteAuthor = z.output<typeof QuoteAuthor>;

/** The quoted text: the part that the person marked (`quote`), or the whole replied-to message (`reply`). */
export const Quote = z.object({
  kind: z.enum(['quote', 'reply']),
  text: z.string(),
  author: QuoteAuthor.optional(),
  platformMessageId: z.string().optional(),
});
export type Quote = z.output<typeof Quote>;

export const InboundMessage = z.object({
  tenantId: z.uuid(),
  botId: z.uuid(),
  integrationId: z.uuid(),
  deliveryId: z.uuid(),
  /** Stable for a bot, chat and topic. */
  conversationId: z.uuid(),
  /** Position in the conversation, given at admission: 1, 2, 3, … without gaps. */
  seq: z.int().positive(),
  /** For email, the chat is the thread and the sender is an address in lower case. */
  platform: PlatformName,
  chat: ChatPlace,
  sender: z.object({
    platformUserId: z.string(),
    name: z.string(),
    username: z.string().optional(),
    /** The language of the person's app, such as `pt-br`; for email, the language that the message declares. */
    language: z.string().optional(),
    /** For email: whether the mailer's SPF and DKIM results show that it is from the address's domain. */
    isProven: z.boolean().optional(),
  }),
  platformMessageId: z.string(),
  /**
   * The person's words. Other content, such as a place, stands in square brackets. When `content` is `unsupported`, it
   * says at most where the message comes from.
   */
  text: z.string(),
  content: z.enum(['text', 'unsupported']),
  /** Name and argument of a command for this bot, without slash and address. */
  command: z.object({ name: z.string(), argument: z.string() }).optional(),
  /**
   * `false` for group messages that weren't addressed to the bot and are only passed on because it answers everything
   * there.
   */
  isAddressed: z.boolean().optional(),
  /** How it was recognized that no person wrote the message. It is shown, and never answered. */
  automaticReason: z.string().optional(),
  quote: Quote.optional(),
  attachment: Attachment.optional(),
  /** Shared by messages that were sent as one album. */
  albumId: z.string().optional(),
  /** Only for email. All texts together stay far below the size limit of an event. */
  mail: z.object({ subject: z.string(), documents: z.array(MailDocument).max(10) }).optional(),
  sentAt: z.iso.datetime(),
  receivedAt: z.iso.datetime(),
});
export type InboundMessage = z.output<typeof InboundMessage>;

/** A message after an edit, identified by `chat` and `platformMessageId`. */
export const EditedMessage = InboundMessage.omit({
  seq: true,
  automaticReason: true,
  quote: true,
  albumId: true,
  mail: true,
}).extend({
  editedAt: z.iso.datetime(),
  /** The platform's number of the update; it orders two edits within a second. */
  editNumber: z.int(),
});
export type EditedMessage = z.output<typeof EditedMessage>;

export const messageReceived = defineEvent('webhooks.message.received.v1', {
  summary: 'A message for a bot was admitted: verified, deduplicated and committed.',
  schema: InboundMessage,
});

export const messageEdited = defineEvent('webhooks.message.edited.v1', {
  summary: 'A person edited a message. The stored message is updated, and it is not answered again.',
  schema: EditedMessage,
});

/** A message that a person deleted. It may have arrived as several, one for each of its files. */
export const DeletedMessage = z.object({
  tenantId: z.uuid(),
  botId: z.uuid(),
  integrationId: z.uuid(),
  conversationId: z.uuid(),
  platform: PlatformName,
  platformChatId: z.string(),
  /** Unique in the conversation. */
  platformMessageIds: z.array(z.string()).min(1),
  deletedAt: z.iso.datetime(),
});
export type DeletedMessage = z.output<typeof DeletedMessage>;

export const messageDeleted = defineEvent('webhooks.message.deleted.v1', {
  summary:
    'A person deleted a message. Its content is removed wherever it is stored, and it is not answered.',
  schema: DeletedMessage,
});

export const chatChanged = defineEvent('webhooks.chat.changed.v1', {
  summary: 'A chat no longer accepts messages from a bot (it was blocked or removed), or accepts them again.',
  schema: z.object({
    tenantId: z.uuid(),
    botId: z.uuid(),
    integrationId: z.uuid(),
    platform: PlatformName,
    platformChatId: z.string(),
    state: z.enum(['active', 'blocked']),
    /** In the platform's words. */
    reason: z.string().optional(),
    /** After a block, messages received in the chat before this moment are not answered. */
    changedAt: z.iso.datetime(),
  }),
});

export const chatMigrated = defineEvent('webhooks.chat.migrated.v1', {
  summary: 'A chat got another identifier. Its conversation continues there.',
  schema: z.object({
    tenantId: z.uuid(),
    botId: z.uuid(),
    platform: PlatformName,
    fromChatId: z.string(),
    toChatId: z.string(),
    /** The conversation that continues. */
    conversationId: z.uuid(),
    /** The conversation of messages in the new group before the migration was known; it ends here. */
    interimConversationId: z.uuid(),
  }),
});

export const personRenamed = defineEvent('webhooks.person.renamed.v1', {
  summary: 'A person of a platform got another identifier. Their permissions follow them.',
  schema: z.object({
    tenantId: z.uuid(),
    platform: PlatformName,
    from: z.string(),
    to: z.string(),
  }),
});

export const replyDelivered = defineEvent('webhooks.reply.delivered.v1', {
  summary: 'A reply reached the platform, or was abandoned.',
  schema: z.object({
    tenantId: z.uuid(),
    botId: z.uuid(),
    conversationId: z.uuid(),
    replyId: z.uuid(),
    state: z.enum(['sent', 'failed']),
    platformMessageIds: z.array(z.string()),
    /** A send was repeated after a crash, so one part may have arrived twice. */
    isUncertain: z.boolean(),
    lastError: z.string().optional(),
  }),
});

/** The platform's later report about a sent reply. */
export const Receipt = z.object({
  state: z.enum(['delivered', 'read', 'failed']),
  /** Why it failed, in the platform's words. */
  reason: z.string().optional(),
  happenedAt: z.iso.datetime(),
});
export type Receipt = z.output<typeof Receipt>;

export const replyReported = defineEvent('webhooks.reply.reported.v1', {
  summary: 'A platform reported that a part of a sent reply was delivered, read, or lost.',
  schema: Receipt.extend({
    tenantId: z.uuid(),
    botId: z.uuid(),
    conversationId: z.uuid(),
    replyId: z.uuid(),
  }),
});

export const replyRated = defineEvent('webhooks.reply.rated.v1', {
  summary: 'A person rated a reply, or took the rating back.',
  schema: z.object({
    tenantId: z.uuid(),
    botId: z.uuid(),
    conversationId: z.uuid(),
    replyId: z.uuid(),
    /** `null`: there is no rating any more. */
    rating: z.enum(['up', 'down']).nullable(),
    /**
     * Where a person can have several reactions at once: the one that was added, or taken back if there is no `rating`.
     * Absent: `rating` replaces every earlier one.
     */
    reaction: z.string().max(40).optional(),
    /** Only the person who asked rates an answer. Absent: the chat is one person's. */
    platformUserId: z.string().optional(),
    ratedAt: z.iso.datetime(),
  }),
});

export const accountChanged = defineEvent('webhooks.account.changed.v1', {
  summary:
    'A platform reported that the account of an integration was removed, is restricted, or works again.',
  schema: z.object({
    tenantId: z.uuid(),
    integrationId: z.uuid(),
    state: z.enum(['removed', 'restricted', 'active']),
    reason: z.string(),
    happenedAt: z.iso.datetime(),
  }),
});

export const endpointChanged = defineEvent('webhooks.endpoint.changed.v1', {
  summary: 'The receiving end of an integration changed. Caches of it must be invalidated.',
  schema: z.object({ tenantId: z.uuid(), botId: z.uuid() }),
});

export const registrationChanged = defineEvent('webhooks.registration.changed.v1', {
  summary: "The state of an integration's webhook at its platform was checked or changed.",
  schema: z.object({
    tenantId: z.uuid(),
    integrationId: z.uuid(),
    /** Revision of the integration at the time of this event. */
    revision: z.int(),
    state: z.enum(['pending', 'registered', 'failed']),
    lastError: z.string().optional(),
    pendingUpdates: z.int().optional(),
    checkedAt: z.iso.datetime(),
    /** The platform is polled for updates; absent if it delivers them to a webhook. */
    mode: z.enum(['polling']).optional(),
  }),
});
