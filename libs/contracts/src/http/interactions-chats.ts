import { z } from 'zod';
import { staffFiles } from '../staff-file-limits.ts';
import { id } from './common.ts';
import { responder } from './contract.ts';
import {
  ChatCounts,
  ChatQueue,
  ChatState,
  maxLabelCharacters,
  UpdateChatBody,
} from './interactions-inbox.ts';
import { Chat } from './interactions-shapes.ts';
import { StaffMessage, StaffMessageBody, TakeoverBody } from './interactions-takeover.ts';
import { ChatTemplates, ListTemplatesQuery } from './interactions-templates.ts';
import { SessionOutcome } from './session-outcomes.ts';
import { SearchText, sortedPageQuery } from './sorted-page.ts';
import { From, To } from './usage-query.ts';

/** Part of a text that a list is searched for. */
export const part = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((text) => !text.includes('\0'), 'must not contain the character U+0000');

/** Number of a tenant's newest messages that a search for chats covers. */
export const searchedMessages = 20_000;

/** Number of people of a chat whose other chats are listed. */
export const maxPeopleOfChat = 10;

const ListChatsQuery = sortedPageQuery(
  { createdAt: 'moment', lastMessageAt: 'moment' },
  {
    usual: '-createdAt',
    filters: {
      q: SearchText.optional().describe(
        `Part of the title, of a participant's name, or of a message. Case-insensitive. Only the tenant's newest ${searchedMessages.toLocaleString('en')} messages are searched.`,
      ),
      personId: id.optional().describe('Only chats in which this person wrote, as in `people`.'),
      peopleOfChatId: id
        .optional()
        .describe(
          `Only other chats in which the people of this chat wrote: the last ${maxPeopleOfChat} of them. Returns 404 for a chat out of reach.`,
        ),
      botId: id.optional(),
      platform: Chat.shape.platform.optional(),
      kind: Chat.shape.kind.optional(),
      text: part.optional().describe('Part of the title. Case-insensitive.'),
      handling: Chat.shape.handling.optional(),
      assigneeUserId: id.optional().describe('Only chats that this user handles.'),
      state: ChatState.optional(),
      queue: ChatQueue.optional(),
      label: z.string().trim().min(1).max(maxLabelCharacters).optional().describe('The name of a label.'),
      agentId: id.optional().describe('Only chats that this agent answered last.'),
      agentVersion: z.coerce
        .number()
        .int()
        .positive()
        .max(2 ** 31 - 1)
        .optional()
        .describe(
          'Only chats with a session that this version of the agent `agentId` answered, the last one or an earlier one; ' +
            'with `outcome`, only those in which such a session has it.',
        ),
      outcome: SessionOutcome.optional().describe('Only chats whose last session has this outcome.'),
      from: From.optional().describe('Only chats whose last message came then or later: a day or a moment.'),
      to: To.optional().describe('Only chats whose last message came before the end of this day or moment.'),
    },
  },
).refine(({ agentId, agentVersion }) => agentVersion === undefined || agentId !== undefined, {
  path: ['agentVersion'],
  message: 'needs agentId',
});
export type ListChatsQuery = z.output<typeof ListChatsQuery>;

/** Routes for chats, and for writing into them. */
export const chatRoutes = {
  listChats: responder.list('/chats', {
    summary: 'List chats.',
    query: ListChatsQuery,
    response: z.array(Chat),
    errors: [404],
  }),
  getChat: responder.get('/chats/:chatId', { summary: 'Get a chat.', response: Chat }),
  countChats: responder.get('/chats/counts', {
    summary: 'Count the chats of each queue.',
    query: z.object({ botId: id.optional() }),
    response: ChatCounts,
  }),
  updateChat: responder.put('/chats/:chatId', {
    summary: "Change a chat's state, its labels, or whether it is unread.",
    description:
      'Omitted fields stay unchanged. A message from a person opens a snoozed or resolved chat, a request for staff or an ' +
      'approval sets `waiting`, and a reply or decision by staff sets `open`. `resolved` also gives the chat back to its ' +
      'bot. The state never stops the bot: `handling` does. Returns 422 for a label that does not exist.',
    body: UpdateChatBody,
    response: Chat,
    errors: [422],
  }),
  // Only a person can handle a chat.
  takeOverChat: responder.post('/chats/:chatId/takeover', {
    summary: 'Take over a chat from its bot, or assign it to another user.',
    description:
      'No agent answers until the chat is given back: with `handback`, or automatically once no staff member has written ' +
      "for the bot's `handbackAfterMinutes`. A turn in progress that has not stored its answer ends without one. " +
      'Returns 409 if the bot is deleted, and 422 if the assignee is not a member of the tenant.',
    body: TakeoverBody,
    response: Chat,
    errors: [409, 422, 503],
  }),
  handBackChat: responder.post('/chats/:chatId/handback', {
    summary: 'Give a chat back to its bot.',
    description:
      'The bot answers again from the next message on. Messages that arrived in the meantime serve it as context and are not answered. A chat that the bot already handles stays unchanged.',
    response: Chat,
  }),
  listChatTemplates: responder.get('/chats/:chatId/templates', {
    summary: 'List the templates for a chat, and whether its platform takes other texts there now.',
    description:
      'WhatsApp takes only texts that it approved in advance once 24 hours have passed since a person last wrote. ' +
      'Templates are read from the platform every 15 minutes or so.',
    query: ListTemplatesQuery,
    response: ChatTemplates,
    errors: [503],
  }),
  // Only a person can handle a chat.
  writeMessage: responder.post('/chats/:chatId/messages', {
    summary: 'Write into a chat as a staff member.',
    description:
      'The message is sent after the messages already waiting in the chat, at the same pace as answers. ' +
      'Its status in the list of messages shows whether it arrived. ' +
      'Returns 409 with the code `not_taken_over` while the bot handles the chat. ' +
      'A body has either a `text` or a `template` of `/chats/:chatId/templates`. Returns 422 with `issues` for both, for ' +
      'a template that is unknown or not approved, and for parameters of a wrong number or length. ' +
      'Files are sent as `multipart/form-data`: up to 10 of 25 MB in fields named `files`, with an optional `text`. ' +
      'Each file becomes a message of its own; the first one has the text. Returns 422 if the platform of the chat ' +
      'takes no files, none of this type or none of this size, or if the tenant has no storage left.',
    body: StaffMessageBody,
    files: staffFiles,
    status: 201,
    response: StaffMessage,
    errors: [409, 413, 422, 503],
  }),
} as const;
