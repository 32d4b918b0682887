import { z } from 'zod';
import { Media } from '../events/attachments.ts';
import { Refusal } from '../events/tenancy.ts';
import { id, moment } from './common.ts';
import { MessageAuthor } from './interactions-takeover.ts';
import { PlatformName } from './platform.ts';

const { state, reason, name, mediaType, sizeBytes } = Media.shape;

/** A file or other attachment of a message. */
const MessageAttachment = z
  .object({
    kind: z.string().describe("In the platform's words, such as `photo`, `voice` or `document`."),
    name: z.string().optional().describe("In its sender's words."),
    mimeType: z.string().optional().describe("In its sender's words."),
    sizeBytes: z.number().int().optional().describe("In its sender's words."),
    file: z
      .object({
        state: state.describe(
          '`waiting`: it is being fetched from the platform. `kept`: it can be downloaded.',
        ),
        reason: reason.describe(
          'Why it is not kept: `too_large` (20 MB at most), `unavailable` (the platform did not give it), `storage_full`, or `expired`.',
        ),
        name: name.describe('As it is kept.'),
        mediaType: mediaType.describe('What its bytes are, whatever its sender says.'),
        sizeBytes,
      })
      .optional()
      .describe('What became of its file. Absent where none is fetched, or that is not known at the moment.'),
  })
  .meta({ id: 'MessageAttachment', description: 'What came with a message, and what became of its file.' });

/** How many characters of a chat's last message are told with the chat. */
export const lastMessageCharacters = 200;

export const Chat = z
  .object({
    chatId: id,
    botId: id,
    botName: z.string().nullable().describe('`null` while the bot is not known here yet.'),
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
    assigneeName: z
      .string()
      .optional()
      .describe('Of the assignee, as far as it is known; never in live events.'),
    people: z
      .array(z.object({ personId: id, name: z.string() }))
      .describe('The 3 who wrote last, the last one first.'),
    lastMessage: z
      .object({
        messageId: id,
        author: MessageAuthor,
        text: z.string().describe(`The first ${lastMessageCharacters} characters.`),
        createdAt: moment,
      })
      .nullable()
      .describe('The newest message, whoever wrote it; `null` when none is kept.'),
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
    attachment: MessageAttachment.optional().describe('What came with the message.'),
    mail: z
      .object({
        subject: z.string(),
        documents: z.array(
          z.object({
            name: z.string(),
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
    .object({ platformUserId: z.string(), name: z.string(), username: z.string().optional() })
    .nullable()
    .describe('Of what came in.'),
  receivedAt: moment,
  platformMessageIds: z.array(z.string()).describe('Its numbers at the platform, as far as they are known.'),
  isUncertain: z.boolean().describe('A part of the reply may have arrived twice, or not at all.'),
  deliveredAt: moment.nullable(),
}).meta({ id: 'MessageDetail', description: 'One message of a chat, with its sender and its delivery.' });

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

/** With whose it is. */
export const TenantDeadLetter = DeadLetter.extend({ tenantId: id }).meta({
  id: 'TenantDeadLetter',
  description: 'A message of some tenant that could not be answered.',
});
