import { z } from 'zod';
import { PlatformName } from '../http/platform.ts';
import { defineSignal } from './definition.ts';
import { ChatPlace } from './webhooks.ts';

/** A hint about one of our own windows. `changed`: there are new or changed messages in the database. */
export const ChatHint = z.object({
  platformChatId: z.string(),
  hint: z.enum(['changed', 'typing', 'read']),
});
export type ChatHint = z.output<typeof ChatHint>;

export const chatHint = defineSignal('webhooks.chat.hint.v1', {
  summary:
    'Something has happened in a chat whose windows are open at other instances of the webhooks service.',
  listeners: ['webhooks'],
  schema: ChatHint,
});

/** The beginning of an answer that a model is still writing. */
export const ChatPreview = z.object({
  botId: z.uuid(),
  chat: ChatPlace.pick({ platformChatId: true, threadId: true }),
  turnId: z.uuid(),
  /** All of the answer so far; `null`: the preview is withdrawn. */
  text: z.string().nullable(),
});
export type ChatPreview = z.output<typeof ChatPreview>;

export const chatPreview = defineSignal('agents.turn.preview.v1', {
  summary: 'An answer is being written. It is stored nowhere; the stored answer replaces it.',
  listeners: ['webhooks'],
  schema: ChatPreview,
});

/** A user of the tenant at a chat. */
export const StaffPresence = z.object({
  tenantId: z.uuid(),
  botId: z.uuid(),
  conversationId: z.uuid(),
  chatId: z.uuid(),
  platform: PlatformName,
  chat: ChatPlace.pick({ platformChatId: true, threadId: true }),
  /** The people of the chat may be shown that somebody types only while a person handles it. */
  handling: z.enum(['bot', 'person']),
  userId: z.uuid(),
  name: z.string().optional(),
  state: z.enum(['here', 'typing', 'gone']),
});
export type StaffPresence = z.output<typeof StaffPresence>;

export const staffPresence = defineSignal('agents.staff.presence.v1', {
  summary:
    'A user of the tenant has a chat open, types in it, or left it. It is stored nowhere, and expires after 15 s.',
  listeners: ['agents', 'webhooks'],
  schema: StaffPresence,
});
