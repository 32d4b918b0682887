import { z } from 'zod';
import { Refusal } from '../events/tenancy.ts';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { MessageAuthor, StaffMessage, StaffMessageBody, TakeoverBody } from './interactions-takeover.ts';
import { PageQuery } from './page.ts';
import { PlatformName } from './platform.ts';
import { From, To } from './usage-query.ts';

export const Chat = z
  .object({
    chatId: id,
    botId: id,
    platform: PlatformName,
    title: z.string(),
    kind: z.enum(['private', 'group', 'channel']),
    state: z
      .enum(['active', 'blocked'])
      .describe(
        '`blocked`: the person blocked the bot, or it was removed. Nothing is sent until they write again.',
      ),
    blockedReason: z.string().optional().describe("In the platform's words."),
    threadId: z.string().optional().describe('The topic of a forum; each is a chat of its own.'),
    handling: z
      .enum(['bot', 'person'])
      .describe(
        '`person`: no agent answers. What comes in is stored, and is context for the agents later on.',
      ),
    assigneeUserId: id.nullable().describe('Who handles it; `null` while the bot does, or nobody was named.'),
    handbackAt: moment
      .optional()
      .describe('When the bot takes it back by itself; each message of a person moves it on.'),
    handoverReason: z.string().optional().describe('Why an agent asked for a person.'),
    createdAt: moment,
    lastMessageAt: moment,
  })
  .meta({ id: 'Chat', description: 'A conversation on a platform between a bot and people.' });

export const Message = z
  .object({
    messageId: id,
    chatId: id,
    direction: z.enum(['in', 'out']),
    author: MessageAuthor,
    text: z.string(),
    agentId: id.nullish(),
    status: z
      .enum(['queued', 'answered', 'ignored', 'dead', 'sending', 'sent', 'failed', 'uncertain'])
      .describe(
        '`ignored`: nobody answered it, such as while a person handled the chat. `uncertain`: a reply that was given up, and may have arrived all the same.',
      ),
    failure: z.string().optional().describe('Why a reply did not arrive, or why that is not known.'),
    isUncertain: z.boolean().optional().describe('A part of a reply may have arrived twice, or not at all.'),
    refusal: Refusal.optional().describe(
      'Why the person was not heard (`/api/auth`); the status is `ignored`.',
    ),
    attachment: z
      .object({
        kind: z.string().describe('What it is in the words of the platform, such as `photo` or `document`.'),
        name: z
          .string()
          .optional()
          .describe("The file's name as its sender gave it. Absent where it has none."),
        mimeType: z.string().optional(),
        sizeBytes: z.number().int().optional(),
      })
      .optional()
      .describe('What came with the message and was not read.'),
    mail: z
      .object({
        subject: z.string(),
        documents: z.array(
          z.object({
            name: z.string().describe("In the sender's words."),
            mediaType: z.string(),
            sizeBytes: z.number().int(),
            isRead: z.boolean().describe('Whether the agent was shown any of its text.'),
          }),
        ),
      })
      .optional()
      .describe('Of an e-mail.'),
    editedAt: moment.optional().describe('When the person changed the text to what it is now.'),
    createdAt: moment,
  })
  .meta({ id: 'Message', description: 'One message of a chat.' });

export const MessageDetail = Message.extend({
  seq: z.number().int().describe('Place among the messages of its direction.'),
  sender: z
    .object({
      platformUserId: z.string(),
      name: z.string(),
      username: z.string().optional(),
    })
    .nullable()
    .describe('Of what came in.'),
  receivedAt: moment,
  platformMessageIds: z.array(z.string()).describe('Its numbers at the platform, as far as they are known.'),
  isUncertain: z.boolean().describe('A part of the reply may have arrived twice, or not at all.'),
  deliveredAt: moment.nullable(),
}).meta({ id: 'MessageDetail', description: 'One message of a chat, with its sender and its delivery.' });

const part = z.string().trim().min(1).max(200);
const MessageQuery = PageQuery.extend({
  direction: Message.shape.direction.optional(),
  status: Message.shape.status.optional(),
  text: part.optional().describe('A part of the text, in whatever case. The newest 10,000 are looked at.'),
  from: From.optional(),
  to: To.optional(),
});
/** Statuses of replies that did not arrive for all that is known. */
export const UndeliveredStatus = Message.shape.status.extract(['failed', 'uncertain']);

export const UndeliveredReply = z
  .object({
    messageId: id,
    chatId: id,
    botId: id,
    text: z.string(),
    status: UndeliveredStatus,
    reason: z.string().describe("Why it was given up, in the platform's words."),
    createdAt: moment,
  })
  .meta({ id: 'UndeliveredReply', description: 'A reply that did not arrive, as far as is known.' });

export const DeadLetter = z
  .object({
    messageId: id,
    chatId: id,
    botId: id,
    text: z.string(),
    reason: z
      .string()
      .describe('Why it could not be answered; what broke inside is in the log, beside the messageId.'),
    tries: z.number().int().optional().describe('How often it was tried to answer it.'),
    deadAt: moment.optional(),
    createdAt: moment,
  })
  .meta({ id: 'DeadLetter', description: 'A message that could not be answered and waits for an admin.' });

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
      query: PageQuery.extend({
        botId: id.optional(),
        platform: Chat.shape.platform.optional(),
        kind: Chat.shape.kind.optional(),
        text: part.optional().describe('A part of the title, in whatever case.'),
        handling: Chat.shape.handling.optional(),
        assigneeUserId: id.optional().describe('Only chats that this person handles.'),
      }),
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
    listDeadLetters: route({
      method: 'get',
      path: '/dead-letters',
      access: 'admin',
      summary: 'List messages that could not be answered.',
      description:
        'A message is tried 6 times, then it is parked here and its chat goes on. Those that came last are first.',
      query: PageQuery.extend({ botId: id.optional(), chatId: id.optional() }),
      response: z.array(DeadLetter),
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
