import { z } from 'zod';
import { id } from './common.ts';
import { admin, defineRouter, operator, responder } from './contract.ts';
import { Download } from './download.ts';
import { changeRoutes } from './interactions-changes.ts';
import { chatRoutes, part } from './interactions-chats.ts';
import { inboxRoutes } from './interactions-inbox.ts';
import { presenceRoutes } from './interactions-presence.ts';
import {
  DeadLetter,
  Message,
  MessageDetail,
  TenantDeadLetter,
  UndeliveredReply,
  UndeliveredStatus,
} from './interactions-shapes.ts';
import { PageQuery } from './page.ts';
import { SearchText, sortedPageQuery } from './sorted-page.ts';
import { From, To } from './usage-query.ts';

const deadLetterQuery = <Filters extends z.ZodRawShape>(filters: Filters) =>
  sortedPageQuery(
    { createdAt: 'id' },
    {
      usual: '-createdAt',
      filters: {
        q: SearchText.optional().describe('Part of the text. Case-insensitive.'),
        botId: id.optional(),
        chatId: id.optional(),
        ...filters,
      },
    },
  );

const MessageQuery = PageQuery.extend({
  direction: Message.shape.direction.optional(),
  status: Message.shape.status.optional(),
  text: part
    .optional()
    .describe('Part of the text. Case-insensitive. Only the newest 10,000 messages are searched.'),
  from: From.optional(),
  to: To.optional(),
});
const ListDeadLettersQuery = deadLetterQuery({});
export type ListDeadLettersQuery = z.output<typeof ListDeadLettersQuery>;

export const interactionsRouter = defineRouter({
  basePath: '/api/interactions',
  service: 'agents',
  description: "Chats of the active tenant's bots, and their messages.",
  routes: {
    ...chatRoutes,
    ...inboxRoutes,
    ...presenceRoutes,
    ...changeRoutes,
    listMessages: responder.list('/chats/:chatId/messages', {
      summary: "List a chat's messages.",
      query: MessageQuery,
      response: z.array(Message),
    }),
    listChannelMessages: responder.list('/chats/:chatId/channel-messages', {
      summary: "List the messages of a chat's whole channel or group, including its other topics.",
      query: MessageQuery,
      response: z.array(Message),
    }),
    getMessage: responder.get('/messages/:messageId', {
      summary: 'Get a message with its sender and its delivery.',
      description: '`GET /api/context-traces?messageId=…` shows how the message was answered.',
      response: MessageDetail,
    }),
    getMessageAttachment: responder.get('/messages/:messageId/attachment', {
      summary: 'Download the attachment of a message.',
      description:
        'The response is always a download, with the media type detected from the bytes. Returns 404 while the file is not stored; `attachment.file` of the message gives the reason.',
      response: Download,
      errors: [503],
    }),
    listUndeliveredReplies: admin.list('/undelivered', {
      summary: 'List replies that did not arrive, or may not have arrived.',
      description:
        "Sending a reply is retried for the bot's `answerWithinMinutes`. A reply whose arrival was not confirmed is sent at most twice. Newest first.",
      query: PageQuery.extend({
        botId: id.optional(),
        chatId: id.optional(),
        status: UndeliveredStatus.optional(),
      }),
      response: z.array(UndeliveredReply),
    }),
    resendReply: admin.post('/undelivered/:messageId/resend', {
      summary: 'Send an undelivered reply again.',
      description:
        'The reply is sent as a new message of the same author, after the messages already waiting in the chat, and the old one leaves this list. ' +
        'Calling this more than once sends it only once. A reply that was `uncertain` may then appear twice in the chat. ' +
        'The status of the new message shows whether it arrived. ' +
        'Returns 409 if the reply has arrived, is being sent, or was already resent or dropped, or if its bot is deleted.',
      status: 201,
      response: Message,
      errors: [409],
    }),
    dropUndeliveredReply: admin.delete('/undelivered/:messageId', {
      summary: 'Drop an undelivered reply.',
      description: 'The reply leaves this list and stays unchanged in its chat.',
    }),
    listDeadLetters: admin.list('/dead-letters', {
      summary: 'List messages that could not be answered.',
      description:
        'After 6 failed attempts to answer it, a message becomes a dead letter and its chat continues with the next message. Newest first by default.',
      query: ListDeadLettersQuery,
      response: z.array(DeadLetter),
    }),
    listDeadLettersOfAllTenants: operator.list('/all-dead-letters', {
      summary: 'List messages of all tenants that could not be answered.',
      description: 'Each call is written to the audit log. To replay or drop a message, act in its tenant.',
      query: deadLetterQuery({ tenantId: id.optional().describe('Only those of this tenant.') }),
      response: z.array(TenantDeadLetter),
    }),
    getDeadLetter: admin.get('/dead-letters/:messageId', {
      summary: 'Get a message that could not be answered.',
      response: DeadLetter,
    }),
    replayDeadLetter: admin.post('/dead-letters/:messageId/replay', {
      summary: 'Try to answer a dead message again.',
      description:
        'The message is answered next in its chat, before the messages that wait there. Calling this more than once replays it only once. ' +
        'Its status in the list of messages shows the result. A message that was lost in transit is fetched first. ' +
        'Returns 409 if the message is not dead, if its bot is switched off, if a person handles the chat (code `taken_over`), ' +
        'or if the message was lost and no copy of it is left.',
      status: 202,
      response: Message,
      errors: [409],
    }),
    dropDeadLetter: admin.delete('/dead-letters/:messageId', {
      summary: 'Drop a dead message.',
      description: 'The message stays in its chat with the status `ignored` and is never answered.',
    }),
    replayChat: admin.post('/chats/:chatId/replay', {
      summary: 'Try to answer all dead messages of a chat again.',
      description:
        'The messages are replayed in order, at most 500 per call; the response lists them. Messages that were lost in transit and of which no copy is left stay dead. ' +
        'Returns 409 if the bot is switched off or a person handles the chat (code `taken_over`).',
      status: 202,
      response: z.array(Message),
      errors: [409],
    }),
  },
});
