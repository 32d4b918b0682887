import { z } from 'zod';
import { id, moment } from './common.ts';
import { responder } from './contract.ts';
import { MessageAuthor } from './interactions-takeover.ts';

export const ChatState = z
  .enum(['open', 'waiting', 'snoozed', 'resolved'])
  .describe(
    '`waiting`: an agent asked for a person, or a call of a tool waits for its approval. `snoozed`: hidden from the ' +
      'queues until `snoozedUntil`. `resolved`: done until a person writes again. The state never stops the bot.',
  );

export const ChatQueue = z
  .enum(['mine', 'unassigned', 'waiting', 'all'])
  .describe(
    'Only open and waiting chats, unless `state` is given. `mine`: handled by the caller. `unassigned`: handled by a ' +
      'person or waiting for one, and nobody is named. `waiting`: the state is `waiting`.',
  );
export type ChatQueue = z.output<typeof ChatQueue>;

/** Counts of chats end here. */
export const maxCountedChats = 10_000;

const counted = z.int().nonnegative();

export const ChatCounts = z
  .object({
    mine: counted.describe('Open and waiting chats that the caller handles.'),
    unassigned: counted.describe('Chats that a person handles or that wait for one, while nobody is named.'),
    waiting: counted.describe('Chats that wait for staff.'),
    all: counted.describe(
      `Open and waiting chats. At ${maxCountedChats.toLocaleString('en')} the count ends: there are that many or more.`,
    ),
    snoozed: counted.describe('Chats that are snoozed now.'),
  })
  .meta({ id: 'ChatCounts', description: 'The numbers of chats in the queues, and of snoozed ones.' });

export const maxLabelCharacters = 50;
/** Labels of one chat. */
const maxLabelsOfChat = 20;
const maxSnoozeMs = 366 * 86_400_000;

const inFuture = (text: string): boolean => {
  const waitMs = Date.parse(text) - Date.now();
  return waitMs > 0 && waitMs <= maxSnoozeMs;
};

export const UpdateChatBody = z
  .object({
    state: ChatState.optional(),
    snoozedUntil: moment
      .refine(inFuture, 'must be in the future, at most a year from now')
      .optional()
      .describe('Required with the state `snoozed`, and allowed only with it.'),
    labels: z
      .array(z.string().trim().min(1).max(maxLabelCharacters))
      .max(maxLabelsOfChat)
      .optional()
      .describe('Names of labels (`/api/interactions/labels`). They replace those of the chat.'),
    isUnread: z.boolean().optional().describe('For the caller only.'),
  })
  .refine(({ state, snoozedUntil }) => (state === 'snoozed') === (snoozedUntil !== undefined), {
    path: ['snoozedUntil'],
    message: 'is required with the state snoozed, and allowed only with it',
  })
  .meta({ examples: [{ state: 'resolved' }] });
export type UpdateChatBody = z.output<typeof UpdateChatBody>;

const LabelBody = z.object({
  name: z.string().trim().min(1).max(maxLabelCharacters).describe('Unique in the tenant, case-insensitive.'),
});
export type LabelBody = z.output<typeof LabelBody>;

const Label = LabelBody.extend({ labelId: id, createdAt: moment }).meta({
  id: 'Label',
  description: 'A label that the tenant puts on its chats.',
});

const CannedReplyBody = z.object({
  name: z.string().trim().min(1).max(50).describe('Unique in the tenant, case-insensitive.'),
  text: z.string().trim().min(1).max(16_000).describe('The text in Markdown, as in messages of staff.'),
});
export type CannedReplyBody = z.output<typeof CannedReplyBody>;

const CannedReply = CannedReplyBody.extend({ cannedReplyId: id, createdAt: moment, updatedAt: moment }).meta({
  id: 'CannedReply',
  description: 'A text that staff send often.',
});

export const maxLabels = 200;
export const maxCannedReplies = 500;
export const maxNotesOfChat = 1000;

export const ChatNote = z
  .object({
    noteId: id,
    text: z.string(),
    author: MessageAuthor,
    createdAt: moment,
  })
  .meta({
    id: 'ChatNote',
    description: 'A note by staff about a chat. Neither its people nor an agent sees it.',
  });

const NoteBody = z.object({ text: z.string().trim().min(1).max(8000).describe('Plain text.') });

/** Routes for what staff keep about chats. */
export const inboxRoutes = {
  listNotes: responder.list('/chats/:chatId/notes', {
    summary: "List a chat's private notes.",
    response: z.array(ChatNote),
  }),
  createNote: responder.post('/chats/:chatId/notes', {
    summary: 'Write a private note about a chat.',
    description: `Returns 409 if the chat has ${maxNotesOfChat.toLocaleString('en')} notes.`,
    body: NoteBody,
    status: 201,
    response: ChatNote,
    errors: [409],
  }),
  deleteNote: responder.delete('/chats/:chatId/notes/:noteId', { summary: 'Delete a private note.' }),
  listLabels: responder.list('/labels', { summary: "List the tenant's labels.", response: z.array(Label) }),
  getLabel: responder.get('/labels/:labelId', { summary: 'Get a label.', response: Label }),
  createLabel: responder.post('/labels', {
    summary: 'Create a label.',
    description: `Returns 409 if the name is in use, or if the tenant has ${maxLabels} labels.`,
    body: LabelBody,
    status: 201,
    response: Label,
    errors: [409],
  }),
  updateLabel: responder.put('/labels/:labelId', {
    summary: 'Rename a label.',
    description: 'Its chats keep it. Returns 409 if the name is in use.',
    body: LabelBody,
    response: Label,
    errors: [409],
  }),
  deleteLabel: responder.delete('/labels/:labelId', {
    summary: 'Delete a label, and remove it from all chats.',
  }),
  listCannedReplies: responder.list('/canned-replies', {
    summary: "List the tenant's canned replies.",
    response: z.array(CannedReply),
  }),
  getCannedReply: responder.get('/canned-replies/:cannedReplyId', {
    summary: 'Get a canned reply.',
    response: CannedReply,
  }),
  createCannedReply: responder.post('/canned-replies', {
    summary: 'Create a canned reply.',
    description: `Returns 409 if the name is in use, or if the tenant has ${maxCannedReplies} canned replies.`,
    body: CannedReplyBody,
    status: 201,
    response: CannedReply,
    errors: [409],
  }),
  updateCannedReply: responder.put('/canned-replies/:cannedReplyId', {
    summary: 'Change a canned reply.',
    description: 'Returns 409 if the name is in use.',
    body: CannedReplyBody,
    response: CannedReply,
    errors: [409],
  }),
  deleteCannedReply: responder.delete('/canned-replies/:cannedReplyId', {
    summary: 'Delete a canned reply.',
  }),
} as const;
