import { z } from 'zod';
import { id } from './common.ts';

/** Author of a message. */
export const MessageAuthor = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('person'), name: z.string().optional() }),
    z.object({
      kind: z.literal('bot'),
      name: z.string().optional().describe("Of the agent that wrote it, where it is one of the tenant's."),
    }),
    z.object({
      kind: z.literal('staff'),
      userId: id.optional().describe('Absent once they were erased.'),
      name: z.string().optional().describe('As far as it is known; never in live events.'),
    }),
  ])
  .meta({ id: 'MessageAuthor', description: 'Who wrote a message.' });

export const TakeoverBody = z
  .object({
    assigneeUserId: id
      .nullish()
      .describe('A member or an admin of the tenant; `null`: nobody yet. By default the caller.'),
  })
  .meta({ examples: [{}] });

/** A staff message may be as long as one of the bot. */
export const StaffMessageBody = z.object({
  text: z.string().trim().min(1).max(16_000).describe('Markdown, as answers are.'),
});

export const StaffMessage = z.object({ messageId: id, state: z.literal('sending') }).meta({
  id: 'StaffMessage',
  description: 'A message of a person of the tenant, on its way into the chat.',
});
