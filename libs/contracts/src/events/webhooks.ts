import { z } from 'zod';
import { PlatformName } from '../http/platform.ts';
import { Attachment, MailDocument } from './attachments.ts';
import { defineEvent } from './definition.ts';

/** Where a conversation takes place on its platform. `threadId` is set in a topic of a forum only. */
export const ChatPlace = z.object({
  platformChatId: z.string(),
  kind: z.enum(['private', 'group', 'channel']),
  title: z.string(),
  threadId: z.string().optional(),
  /** The group that became this one: who was let in there is let in here. */
  migratedFrom: z.string().optional(),
});
export type ChatPlace = z.output<typeof ChatPlace>;

/** Who had written what a message quotes. */
export const QuoteAuthor = z.object({
  /** Absent where the platform hides the account. */
  platformUserId: z.string().optional(),
  name: z.string(),
  isBot: z.boolean(),
});
export type QuoteAuthor = z.output<typeof QuoteAuthor>;

/** What a message refers to: the part that the person marked (`quote`), or the whole text that they replied to. */
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
  /** The same for the same bot, chat and topic, for ever. */
  conversationId: z.uuid(),
  /** Position in the conversation, given at admission: 1, 2, 3, … without gaps. */
  seq: z.number().int().positive(),
  /** Of an e-mail, the chat is the thread, and whoever writes is named by their address in lower case. */
  platform: PlatformName,
  chat: ChatPlace,
  sender: z.object({
    platformUserId: z.string(),
    name: z.string(),
    username: z.string().optional(),
    /** Of the person's app, such as `pt-br`; of an e-mail, what it says that it is written in. */
    language: z.string().optional(),
    /** Of an e-mail: whether the mailer's SPF and DKIM results show that it is from the domain of the address. */
    isProven: z.boolean().optional(),
  }),
  platformMessageId: z.string(),
  /** What the person wrote, or the caption of what they sent; empty when `content` is `unsupported`. */
  text: z.string(),
  content: z.enum(['text', 'unsupported']),
  /** Name and argument of a command for this bot, without slash and address. */
  command: z.object({ name: z.string(), argument: z.string() }).optional(),
  /** `false` for what was said in a group to nobody of ours, and is handed over because the bot answers everything there. */
  isAddressed: z.boolean().optional(),
  quote: Quote.optional(),
  attachment: Attachment.optional(),
  /** Messages that were sent as one album share it. */
  albumId: z.string().optional(),
  /** Of an e-mail. All texts together stay far below what an event may hold. */
  mail: z.object({ subject: z.string(), documents: z.array(MailDocument).max(10) }).optional(),
  sentAt: z.iso.datetime(),
  receivedAt: z.iso.datetime(),
});
export type InboundMessage = z.output<typeof InboundMessage>;

/** A message as it reads after an edit; which one, `chat` and `platformMessageId` say. */
export const EditedMessage = InboundMessage.omit({
  seq: true,
  quote: true,
  albumId: true,
  mail: true,
}).extend({
  editedAt: z.iso.datetime(),
  /** The platform's number of the update: of two edits within a second, the one with the greater is the later. */
  editNumber: z.number().int(),
});
export type EditedMessage = z.output<typeof EditedMessage>;

export const messageReceived = defineEvent('webhooks.message.received.v1', {
  summary: 'A message for a bot was admitted: verified, not a duplicate, committed.',
  schema: InboundMessage,
});

export const messageEdited = defineEvent('webhooks.message.edited.v1', {
  summary: 'A person edited a message: what is stored of it changes, and it is not answered again.',
  schema: EditedMessage,
});

export const chatChanged = defineEvent('webhooks.chat.changed.v1', {
  summary: 'A chat takes nothing from a bot any more (it was blocked or removed), or does so again.',
  schema: z.object({
    tenantId: z.uuid(),
    botId: z.uuid(),
    integrationId: z.uuid(),
    platform: PlatformName,
    platformChatId: z.string(),
    state: z.enum(['active', 'blocked']),
    /** In the platform's words. */
    reason: z.string().optional(),
    /** What was received in the chat before this moment is not answered when it is blocked. */
    changedAt: z.iso.datetime(),
  }),
});

export const chatMigrated = defineEvent('webhooks.chat.migrated.v1', {
  summary: 'A group became a supergroup, with another number: its conversation goes on there.',
  schema: z.object({
    tenantId: z.uuid(),
    botId: z.uuid(),
    platform: PlatformName,
    fromChatId: z.string(),
    toChatId: z.string(),
    /** The conversation that goes on. */
    conversationId: z.uuid(),
    /** What was said in the new group before we knew; no conversation of its own any longer. */
    interimConversationId: z.uuid(),
  }),
});

export const replyDelivered = defineEvent('webhooks.reply.delivered.v1', {
  summary: 'A reply reached the platform, or was given up.',
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

export const endpointChanged = defineEvent('webhooks.endpoint.changed.v1', {
  summary:
    'What is known of the receiving end of an integration has changed: nobody may remember it any longer.',
  schema: z.object({ tenantId: z.uuid(), botId: z.uuid() }),
});

export const registrationChanged = defineEvent('webhooks.registration.changed.v1', {
  summary: "What is known of an integration's webhook at its platform.",
  schema: z.object({
    tenantId: z.uuid(),
    integrationId: z.uuid(),
    /** Revision of the integration that this is about. */
    revision: z.number().int(),
    state: z.enum(['pending', 'registered', 'failed']),
    lastError: z.string().optional(),
    pendingUpdates: z.number().int().optional(),
    checkedAt: z.iso.datetime(),
    /** The platform is asked for updates; absent where it delivers them to a webhook. */
    mode: z.enum(['polling']).optional(),
  }),
});
