import { z } from 'zod';
import { id } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { Download } from './download.ts';
import {
  Chat,
  DeadLetter,
  Message,
  MessageDetail,
  TenantDeadLetter,
  UndeliveredReply,
  UndeliveredStatus,
} from './interactions-shapes.ts';
import { StaffMessage, StaffMessageBody, TakeoverBody } from './interactions-takeover.ts';
import { PageQuery } from './page.ts';
import { SearchText, sortedPageQuery } from './sorted-page.ts';
import { From, To } from './usage-query.ts';

const part = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((text) => !text.includes('\0'), 'must not contain the character U+0000');

/** Among how many of a tenant's newest messages chats are searched for. */
export const searchedMessages = 20_000;

const ListChatsQuery = sortedPageQuery(
  { createdAt: 'moment', lastMessageAt: 'moment' },
  {
    usual: '-createdAt',
    filters: {
      q: SearchText.optional().describe(
        `A part of the title, of the name of somebody who wrote there, or of a message, in any case. Of messages the tenant's newest ${searchedMessages.toLocaleString('en')} are looked at.`,
      ),
      personId: id.optional().describe('Somebody who wrote there (`people`).'),
      botId: id.optional(),
      platform: Chat.shape.platform.optional(),
      kind: Chat.shape.kind.optional(),
      text: part.optional().describe('A part of the title, in any case.'),
      handling: Chat.shape.handling.optional(),
      assigneeUserId: id.optional().describe('Only chats that this person handles.'),
    },
  },
);
export type ListChatsQuery = z.output<typeof ListChatsQuery>;

const deadLetterQuery = <Filters extends z.ZodRawShape>(filters: Filters) =>
  sortedPageQuery(
    { createdAt: 'id' },
    {
      usual: '-createdAt',
      filters: {
        q: SearchText.optional().describe('A part of the text, in any case.'),
        botId: id.optional(),
        chatId: id.optional(),
        ...filters,
      },
    },
  );

const MessageQuery = PageQuery.extend({
  direction: Message.shape.direction.optional(),
  status: Message.shape.status.optional(),
  text: part.optional().describe('A part of the text, in whatever case. The newest 10,000 are looked at.'),
  from: From.optional(),
  to: To.optional(),
});
const ListDeadLettersQuery = deadLetterQuery({});
export type ListDeadLettersQuery = z.output<typeof ListDeadLettersQuery>;

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
      query: ListChatsQuery,
      response: z.array(Chat),
      paged: true,
    }),
    getChat: route({
      method: 'get',
      path: '/chats/:chatId',
      access: 'admin',
      summary: 'Get a chat.',
      response: Chat,
    }),
    takeOverChat: route({
      method: 'post',
      path: '/chats/:chatId/takeover',
      access: 'admin',
      // It is a person who handles the chat then.
      acceptsTokens: false,
      summary: 'Take a chat over from its bot, or assign it to somebody else.',
      description:
        'No agent answers until it is given back, by `handback` or by itself when nobody has written for the `handbackAfterMinutes` of the bot. ' +
        'A turn that is at work and has not stored its answer ends without one. An assignee who is no member of the tenant is 422.',
      body: TakeoverBody,
      response: Chat,
      errors: [409, 422, 503],
    }),
    handBackChat: route({
      method: 'post',
      path: '/chats/:chatId/handback',
      access: 'admin',
      summary: 'Give a chat back to its bot.',
      description:
        'The bot goes on with the next message. What came in meanwhile is context for it, and is not answered late. A chat that the bot has already stays as it is.',
      response: Chat,
    }),
    writeMessage: route({
      method: 'post',
      path: '/chats/:chatId/messages',
      access: 'admin',
      // It is a person who handles the chat then.
      acceptsTokens: false,
      summary: 'Write into a chat as a person.',
      description:
        'It goes out behind what waits there, at the same pace as answers, and what became of it is told by its status among the messages of the chat. ' +
        '409 with the code `not_taken_over` while the bot handles the chat.',
      body: StaffMessageBody,
      status: 201,
      response: StaffMessage,
      errors: [409, 503],
    }),
    listMessages: route({
      method: 'get',
      path: '/chats/:chatId/messages',
      access: 'admin',
      summary: "List a chat's messages.",
      query: MessageQuery,
      response: z.array(Message),
      paged: true,
    }),
    listChannelMessages: route({
      method: 'get',
      path: '/chats/:chatId/channel-messages',
      access: 'admin',
      summary: "List the messages of a chat's whole channel or group, with those of its other topics.",
      query: MessageQuery,
      response: z.array(Message),
      paged: true,
    }),
    getMessage: route({
      method: 'get',
      path: '/messages/:messageId',
      access: 'admin',
      summary: 'Get a message, with what is known of its way.',
      description: 'How it was answered is told by `GET /api/context-traces?messageId=…`.',
      response: MessageDetail,
    }),
    getMessageAttachment: route({
      method: 'get',
      path: '/messages/:messageId/attachment',
      access: 'admin',
      summary: 'Download what came with a message.',
      description:
        'Always as a file to be saved, with the type that its bytes have. 404 while it is not kept: `attachment.file` of the message says why.',
      response: Download,
      errors: [503],
    }),
    listUndeliveredReplies: route({
      method: 'get',
      path: '/undelivered',
      access: 'admin',
      summary: 'List replies that did not reach their chat, or may not have.',
      description:
        'A reply is tried for as long as its bot answers (`answerWithinMinutes`); one whose arrival nobody confirmed is sent twice at most. Those that came last are first.',
      query: PageQuery.extend({
        botId: id.optional(),
        chatId: id.optional(),
        status: UndeliveredStatus.optional(),
      }),
      response: z.array(UndeliveredReply),
      paged: true,
    }),
    resendReply: route({
      method: 'post',
      path: '/undelivered/:messageId/resend',
      access: 'admin',
      summary: 'Send a reply that did not arrive once more.',
      description:
        'It goes out as a new message of the same author, behind what waits in its chat, and the old one leaves this list: once, however often this is called. One that was `uncertain` may then be there twice. What became of the new message is told by its status. 409 when it has arrived, is on its way, or was sent anew or dropped already, and when its bot is deleted.',
      status: 201,
      response: Message,
      errors: [409],
    }),
    dropUndeliveredReply: route({
      method: 'delete',
      path: '/undelivered/:messageId',
      access: 'admin',
      summary: 'Drop a reply that did not arrive.',
      description: 'It leaves this list, and stays in its chat as it is.',
    }),
    listDeadLetters: route({
      method: 'get',
      path: '/dead-letters',
      access: 'admin',
      summary: 'List messages that could not be answered.',
      description:
        'A message is tried 6 times, then it is parked here and its chat goes on. Those that came last are first.',
      query: ListDeadLettersQuery,
      response: z.array(DeadLetter),
      paged: true,
    }),
    listDeadLettersOfAllTenants: route({
      method: 'get',
      path: '/all-dead-letters',
      access: 'operator',
      summary: 'List messages that could not be answered, of all tenants.',
      description: 'Each call is written to the audit log. They are replayed and dropped in their tenant.',
      query: deadLetterQuery({ tenantId: id.optional().describe('Only those of this tenant.') }),
      response: z.array(TenantDeadLetter),
      paged: true,
    }),
    getDeadLetter: route({
      method: 'get',
      path: '/dead-letters/:messageId',
      access: 'admin',
      summary: 'Read a message that could not be answered.',
      response: DeadLetter,
    }),
    replayDeadLetter: route({
      method: 'post',
      path: '/dead-letters/:messageId/replay',
      access: 'admin',
      summary: 'Try to answer a dead message again.',
      description:
        'It is answered next in its chat, before whatever waits there, and once, however often this is called. What became of it is told by its status among the messages of its chat. One that was lost on its way is fetched first. 409 when it is not dead, when its bot is switched off or a person handles the chat (code `taken_over`), or when it was lost and is kept nowhere any more.',
      status: 202,
      response: Message,
      errors: [409],
    }),
    dropDeadLetter: route({
      method: 'delete',
      path: '/dead-letters/:messageId',
      access: 'admin',
      summary: 'Drop a dead message.',
      description: 'It stays in its chat with the status `ignored`, and is never answered.',
    }),
    replayChat: route({
      method: 'post',
      path: '/chats/:chatId/replay',
      access: 'admin',
      summary: 'Try to answer all dead messages of a chat again.',
      description:
        'In their order, at most 500 at once; the answer lists them. Those that were lost on their way and are kept nowhere any more stay dead. 409 when its bot is switched off, or a person handles the chat (code `taken_over`).',
      status: 202,
      response: z.array(Message),
      errors: [409],
    }),
  },
});
