import { z } from 'zod';
import { id, moment } from './common.ts';
import { responder } from './contract.ts';

export const chatChangeKinds = [
  'taken_over',
  'handed_over',
  'assigned',
  'handed_back',
  'opened',
  'waiting',
  'snoozed',
  'snooze_ended',
  'resolved',
  'reopened',
] as const;

/** The newest changes of a chat that are kept. */
export const maxChangesOfChat = 500;

const StaffMember = z.object({
  userId: id.optional().describe('Omitted once the user was erased.'),
  name: z.string().optional().describe("The user's name, if known."),
});

const ChatChange = z
  .object({
    changeId: id.describe('Changes made later have greater identifiers.'),
    kind: z
      .enum(chatChangeKinds)
      .describe(
        '`handed_over`: an agent asked for a person. `assigned`: see `assignee`. `reopened`: a message of a person opened a ' +
          'snoozed or resolved chat. `opened`, `waiting`, `snoozed`, `resolved`: staff set this state.',
      ),
    actor: StaffMember.optional().describe(
      'The user who did it. Omitted if it happened by itself: the time of a handback or a snooze came, or somebody wrote.',
    ),
    assignee: StaffMember.nullish().describe(
      'Of `assigned`: the user who handles the chat from then on; `null`: nobody in particular.',
    ),
    snoozedUntil: moment.optional().describe('Of `snoozed`.'),
    createdAt: moment,
  })
  .meta({ id: 'ChatChange', description: 'Something that happened to a chat beside its messages.' });

/** Routes for the history of a chat. */
export const changeRoutes = {
  listChatChanges: responder.list('/chats/:chatId/changes', {
    summary: 'List what happened to a chat beside its messages: who took it over, assigned or resolved it.',
    description:
      `Newest first. The newest ${maxChangesOfChat} are kept. ` +
      'The live events `chat.updated` and `message.received` announce new ones.',
    response: z.array(ChatChange),
  }),
} as const;
