import { z } from 'zod';
import { Refusal } from '../events/tenancy.ts';
import { defineRouter, route } from '../http/contract.ts';
import { PageQuery } from '../http/page.ts';
import { id, moment } from './common.ts';

export const Chat = z
  .object({
    chatId: id,
    botId: id,
    platform: z.enum(['messenger', 'email']),
    title: z.string(),
    kind: z.enum(['private', 'group', 'channel']),
    state: z
      .enum(['active', 'blocked'])
      .describe(
        '`blocked`: the person blocked the bot, or it was removed. Nothing is sent until they write again.',
      ),
    blockedReason: z.string().optional().describe("In the platform's words."),
    createdAt: moment,
    lastMessageAt: moment,
  })
  .meta({ id: 'Chat' });

export const Message = z
  .object({
    messageId: id,
    chatId: id,
    direction: z.enum(['in', 'out']),
    text: z.string(),
    agentId: id.nullish(),
    status: z.enum(['queued', 'answered', 'ignored', 'dead', 'sending', 'sent', 'failed']),
    refusal: Refusal.optional().describe(
      'Why the person was not heard (`/api/auth`); the status is `ignored`.',
    ),
    attachment: z
      .object({
        kind: z.string(),
        name: z.string().optional(),
        mimeType: z.string().optional(),
        sizeBytes: z.number().int().optional(),
      })
      .optional()
      .describe('What came with the message and was not read.'),
    editedAt: moment.optional().describe('When the person changed the text to what it is now.'),
    createdAt: moment,
  })
  .meta({ id: 'Message' });

export const interactionsRouter = defineRouter({
  basePath: '/api/interactions',
  service: 'agents',
  description: "What was said in the active tenant's chats.",
  routes: {
    listChats: route({
      method: 'get',
      path: '/chats',
      access: 'admin',
      summary: 'List chats.',
      query: PageQuery.extend({ botId: id.optional() }),
      response: z.array(Chat),
      paged: true,
    }),
    listMessages: route({
      method: 'get',
      path: '/chats/:chatId/messages',
      access: 'admin',
      summary: "List a chat's messages.",
      query: PageQuery,
      response: z.array(Message),
      paged: true,
    }),
  },
});
