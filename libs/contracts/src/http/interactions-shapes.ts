import { z } from 'zod';
import { Choices } from '../choices.ts';
import { Media } from '../events/attachments.ts';
import { Refusal } from '../events/tenancy.ts';
import { id, moment } from './common.ts';
import { ChatState } from './interactions-inbox.ts';
import { MessageAuthor } from './interactions-takeover.ts';
import { PlatformName } from './platform.ts';
import { SessionOutcome } from './session-outcomes.ts';

const { state, reason, name, mediaType, sizeBytes } = Media.shape;

/** A file or other attachment of a message. */
const MessageAttachment = z
  .object({
    kind: z.string().describe("The kind in the platform's words, such as `photo`, `voice` or `document`."),
    name: z.string().optional().describe('The file name given by the sender.'),
    mimeType: z.string().optional().describe('The media type given by the sender.'),
    sizeBytes: z.int().optional().describe('The size given by the sender.'),
    file: z
      .object({
        state: state.describe(
          '`waiting`: the file is being fetched from the platform. `kept`: the file can be downloaded.',
        ),
        reason: reason.describe(
          'Why the file is missing: `too_large` (the limit is 20 MB), `unavailable` (the platform did not provide it), `storage_full`, or `expired`.',
        ),
        name: name.describe('The name under which the file is stored.'),
        mediaType: mediaType.describe('The media type detected from the bytes, not taken from the sender.'),
        sizeBytes,
      })
      .optional()
      .describe(
        'The state of the file. Omitted if no file is fetched, or if the state is currently unknown.',
      ),
  })
  .meta({ id: 'MessageAttachment', description: 'The attachment of a message, and the state of its file.' });

/** Maximum length of `lastMessage.text` in a chat, in characters. */
export const lastMessageCharacters = 200;

const SearchHit = z
  .object({
    messageId: id.describe('The newest message that contains the text.'),
    before: z.string().describe('The sentence up to the text.'),
    match: z.string().describe('The text as the message has it.'),
    after: z.string().describe('The rest of the sentence.'),
  })
  .meta({ id: 'SearchHit', description: 'The sentence of a message that contains the text of a search.' });
export type SearchHit = z.input<typeof SearchHit>;

export const Chat = z
  .object({
    chatId: id,
    botId: id,
    botName: z.string().nullable().describe("The bot's name. `null` until this service knows the bot."),
    platform: PlatformName,
    title: z.string(),
    kind: z.enum(['private', 'group', 'channel']),
    state: ChatState,
    snoozedUntil: moment
      .optional()
      .describe('When a snoozed chat opens again. Set only while `state` is `snoozed`.'),
    labels: z.array(z.string()).describe('Names of labels, in alphabetical order.'),
    isUnread: z
      .boolean()
      .optional()
      .describe(
        'Whether a message came in since the caller last marked the chat as read. Omitted in live events.',
      ),
    isBlocked: z
      .boolean()
      .describe(
        'Whether the person blocked the bot, or the bot was removed from the chat. Nothing is sent until it is unblocked or someone writes again.',
      ),
    blockedReason: z.string().optional().describe("The reason for the block, in the platform's words."),
    threadId: z.string().optional().describe('The forum topic. Each topic is a separate chat.'),
    handling: z
      .enum(['bot', 'person'])
      .describe(
        '`person`: no agent answers. Incoming messages are stored and later serve the agents as context.',
      ),
    assigneeUserId: id
      .nullable()
      .describe('The user who handles the chat. `null` while the bot handles it, or if no user was named.'),
    assigneeName: z.string().optional().describe("The assignee's name, if known. Omitted in live events."),
    people: z
      .array(z.object({ personId: id, name: z.string() }))
      .describe('The last 3 people who wrote, most recent first.'),
    lastMessage: z
      .object({
        messageId: id,
        author: MessageAuthor,
        text: z.string().describe(`The first ${lastMessageCharacters} characters of the message.`),
        createdAt: moment,
      })
      .nullable()
      .describe('The newest message by any author. `null` if none is stored.'),
    hit: SearchHit.optional().describe(
      'Where a message has the text. Set only in a list with `q`, and not if only the title or a name has it.',
    ),
    handbackAt: moment
      .optional()
      .describe('When the chat goes back to the bot automatically. Each staff message postpones it.'),
    handoverReason: z.string().optional().describe('Why an agent asked for a person.'),
    outcomes: z
      .array(SessionOutcome)
      .optional()
      .describe(
        'The outcomes of the last session with an agent, which is counted from an hour after its first answer. ' +
          'Omitted if there is none.',
      ),
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
    choices: Choices.optional().describe('The texts to choose from under a reply, if it has any.'),
    agentId: id.nullish(),
    agentVersion: z
      .int()
      .optional()
      .describe('The version of the agent that wrote the reply. Omitted if unknown.'),
    status: z
      .enum(['queued', 'answered', 'ignored', 'dead', 'sending', 'sent', 'failed', 'uncertain'])
      .describe(
        '`ignored`: the message gets no answer, for example because a person handled the chat. `uncertain`: sending the reply was abandoned, but it may have arrived.',
      ),
    failure: z
      .string()
      .optional()
      .describe('Why a reply did not arrive, or why it is unknown whether it did.'),
    isUncertain: z
      .boolean()
      .optional()
      .describe('Whether part of a reply may have arrived twice, or not at all.'),
    receipt: z
      .object({
        state: z
          .enum(['delivered', 'read', 'failed'])
          .describe('`read` includes `delivered`. `failed`: a part of it was lost after it was sent.'),
        reason: z.string().optional().describe("Why it failed, in the platform's words."),
        happenedAt: moment.describe('When that happened, by the clock of the platform.'),
      })
      .optional()
      .describe('What the platform reported about a sent reply, if it reports that. `failed` is final.'),
    rating: z
      .enum(['up', 'down'])
      .optional()
      .describe(
        'How the person rated the reply, with a thumb as reaction or as the answer to a question about it. ' +
          'Omitted without a rating.',
      ),
    ratedMessageId: id
      .optional()
      .describe(
        'The reply that this message is about: one of the bot asks if the reply helped (see `asksForRating` of a ' +
          'bot), one of the person is the rating. Agents never see either.',
      ),
    refusal: Refusal.optional().describe(
      'Why the bot ignored the person (see `/api/auth`). The status is then `ignored`.',
    ),
    isAutomatic: z
      .literal(true)
      .optional()
      .describe('Set for a message that no person wrote. It is never answered.'),
    reason: z.string().optional().describe('How a message with `isAutomatic` was recognized.'),
    attachment: MessageAttachment.optional().describe('The file or other attachment of the message.'),
    mail: z
      .object({
        subject: z.string(),
        documents: z.array(
          z.object({
            name: z.string(),
            mediaType: z.string(),
            sizeBytes: z.int(),
            isRead: z.boolean().describe('Whether any text of the document was shown to the agent.'),
          }),
        ),
      })
      .optional()
      .describe('Subject and attached documents. Set for emails only.'),
    editedAt: moment.optional().describe('When the person last edited the text.'),
    deletedAt: moment
      .optional()
      .describe('When the person deleted the message. Its text and attachment are no longer stored.'),
    createdAt: moment,
  })
  .meta({ id: 'Message', description: 'One message of a chat.' });

export const MessageDetail = Message.extend({
  seq: z.int().describe('Position among the messages of the same direction.'),
  sender: z
    .object({ platformUserId: z.string(), name: z.string(), username: z.string().optional() })
    .nullable()
    .describe('The sender of an incoming message.'),
  receivedAt: moment,
  platformMessageIds: z
    .array(z.string())
    .describe('The identifiers of the message at the platform, as far as they are known.'),
  isUncertain: z.boolean().describe('Whether part of the reply may have arrived twice, or not at all.'),
  deliveredAt: moment.nullable(),
}).meta({ id: 'MessageDetail', description: 'One message of a chat, with its sender and its delivery.' });

/** Statuses of replies that did not arrive, or whose arrival is unknown. */
export const UndeliveredStatus = Message.shape.status.extract(['failed', 'uncertain']);

export const UndeliveredReply = z
  .object({
    messageId: id,
    chatId: id,
    botId: id,
    text: z.string(),
    status: UndeliveredStatus,
    reason: z.string().describe("Why sending was abandoned, in the platform's words."),
    createdAt: moment,
  })
  .meta({ id: 'UndeliveredReply', description: 'A reply that did not arrive, or whose arrival is unknown.' });

export const DeadLetter = z
  .object({
    messageId: id,
    chatId: id,
    botId: id,
    text: z.string(),
    reason: z
      .string()
      .describe(
        'Why the message could not be answered. For internal errors, search the log for the `messageId`.',
      ),
    tries: z.int().optional().describe('The number of attempts to answer the message.'),
    deadAt: moment.optional(),
    createdAt: moment,
  })
  .meta({ id: 'DeadLetter', description: 'A message that could not be answered and waits for an admin.' });

/** For lists across tenants. */
export const TenantDeadLetter = DeadLetter.extend({ tenantId: id }).meta({
  id: 'TenantDeadLetter',
  description: 'A message that could not be answered, with its tenant.',
});
