import { z } from 'zod';
import { templateLimits } from '../template-text.ts';
import { id } from './common.ts';

/** Author of a message. */
export const MessageAuthor = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('person'), name: z.string().optional() }),
    z.object({
      kind: z.literal('bot'),
      name: z
        .string()
        .optional()
        .describe("The name of the agent that wrote the message, if it is one of the tenant's agents."),
    }),
    z.object({
      kind: z.literal('staff'),
      userId: id.optional().describe('The user who wrote the message. Omitted once the user was erased.'),
      name: z.string().optional().describe("The user's name, if known. Omitted in live events."),
    }),
  ])
  .meta({ id: 'MessageAuthor', description: 'The author of a message.' });

export const TakeoverBody = z
  .object({
    assigneeUserId: id
      .nullish()
      .describe(
        'A member or an admin of the tenant, or a responder of the bot. `null`: nobody in particular. Defaults to the caller.',
      ),
  })
  .meta({ examples: [{}] });

/** Staff messages have the same length limit as messages of bots. */
export const StaffMessageBody = z
  .object({
    text: z
      .string()
      .trim()
      .min(1)
      .max(16_000)
      .optional()
      .describe('The text in Markdown, as in answers of bots.'),
    template: z
      .object({
        name: z.string().min(1).max(512),
        language: z.string().min(1).max(20).describe('The language code at the platform.'),
        parameters: z
          .array(z.string().max(4096))
          .max(templateLimits.parameters)
          .default([])
          .describe("The texts for the template's gaps, in the order of its `parameters`."),
      })
      .optional()
      .describe('A template that the platform approved, in place of `text`.'),
  })
  .meta({ examples: [{ text: 'Hello' }] });

/** The other fields of a form with files. */
export const StaffFormFields = z.object({ text: z.string().trim().max(16_000).default('') });

export const StaffMessage = z
  .object({
    messageId: id,
    state: z.literal('sending'),
    messageIds: z
      .array(id)
      .optional()
      .describe('Of a form with files: its messages, one for each file. The first one has the text.'),
  })
  .meta({
    id: 'StaffMessage',
    description: 'A message by a staff member of the tenant that is being sent to the chat.',
  });
