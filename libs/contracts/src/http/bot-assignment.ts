import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery } from './page.ts';

/** Limit per bot; one more is 409. */
export const maxAssignments = 100;

const access = 'admin';

/** A language as people's apps name it; only the part before the first hyphen is compared. */
export const languageTag = z
  .string()
  .trim()
  .toLowerCase()
  .max(35)
  .regex(/^[a-z]{2,8}(-[a-z0-9]{1,8})*$/, 'must be a language such as `en` or `pt-BR`')
  .meta({ examples: ['pt-br'] });

/** The platform's topic number; messages outside topics are in `general`. */
export const topicId = z
  .string()
  .regex(/^(general|[1-9][0-9]{0,18})$/, 'must be digits, or `general`')
  .meta({ examples: ['42'] });

/** One chat, a group (or a topic of it), or all chats of a kind; everywhere without any of them. */
export const whereFields = {
  chatId: id.optional().describe('From `/api/interactions/chats`.'),
  groupId: id.optional().describe('From `/api/bot-groups`: all its topics, but for `threadId`.'),
  kind: z.enum(['private', 'group', 'channel']).optional(),
  threadId: topicId.optional().describe('Only with `groupId`: one topic.'),
};

type Where = { [Field in keyof typeof whereFields]?: string | undefined };

export function refineWhere({ chatId, groupId, kind, threadId }: Where, ctx: z.RefinementCtx): void {
  if ([chatId, groupId, kind].filter(Boolean).length > 1)
    ctx.addIssue({ code: 'custom', message: 'give at most one of chatId, groupId and kind' });
  if (threadId && !groupId)
    ctx.addIssue({ code: 'custom', path: ['threadId'], message: 'needs a groupId beside it' });
}

/** Scope of an assignment. */
const Where = z
  .object(whereFields)
  .superRefine(refineWhere)
  .meta({ examples: [{ kind: 'private' }] });

/** Further conditions: the message contains one of the keywords, and the person's app uses the language. */
const When = z.object({
  keywords: z
    .array(z.string().trim().toLowerCase().min(1).max(100))
    .max(50)
    .optional()
    .describe('One of them has to be in the message, in any case.'),
  language: languageTag
    .optional()
    .describe(
      "The language of the person's app, such as `pt-BR`; what is behind the first hyphen is not compared.",
    ),
});

export const Assignment = z
  .object({
    assignmentId: id,
    botId: id,
    agentId: id,
    where: Where.describe('Where it counts. Empty: in all chats of the bot.'),
    when: When.describe('What else has to hold. Empty: nothing.'),
    priority: z.number().int(),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'Assignment', description: "Which agent answers in some of a bot's chats." });
export type Assignment = z.input<typeof Assignment>;

const priority = z
  .number()
  .int()
  .min(-1000)
  .max(1000)
  .describe('The highest that holds counts; among equals the narrowest place, then the oldest.');

export const CreateAssignmentBody = z.object({
  botId: id,
  agentId: id.describe("An agent of the tenant; it needn't be one of the bot's."),
  where: Where.default({}).describe('Where it counts. Empty: in all chats of the bot.'),
  when: When.default({}).describe('What else has to hold. Empty: nothing.'),
  priority: priority.default(0),
});
export type CreateAssignmentBody = z.output<typeof CreateAssignmentBody>;

export const UpdateAssignmentBody = z.object({
  agentId: id.optional(),
  where: Where.optional().describe('Where it counts, whole: it replaces what was there.'),
  when: When.optional().describe('What else has to hold, whole: it replaces what was there.'),
  priority: priority.optional(),
});
export type UpdateAssignmentBody = z.output<typeof UpdateAssignmentBody>;

export const botAssignmentRouter = defineRouter({
  basePath: '/api/bot-assignment',
  service: 'agents',
  description:
    'Which agent answers where, in the active tenant. It holds from the next turn on; a message that names an agent goes to that one all the same.',
  routes: {
    listAssignments: route({
      method: 'get',
      path: '/',
      access,
      summary: 'List assignments.',
      query: PageQuery.extend({ botId: id.optional(), agentId: id.optional() }),
      response: z.array(Assignment),
      paged: true,
    }),
    createAssignment: route({
      method: 'post',
      path: '/',
      access,
      summary: 'Assign an agent to a place.',
      description: `A second one of the bot for the same place and condition is 409, and so is more than ${maxAssignments} of a bot.`,
      body: CreateAssignmentBody,
      response: Assignment,
      status: 201,
      errors: [404, 409],
    }),
    getAssignment: route({
      method: 'get',
      path: '/:assignmentId',
      access,
      summary: 'Get an assignment.',
      response: Assignment,
    }),
    updateAssignment: route({
      method: 'put',
      path: '/:assignmentId',
      access,
      summary:
        'Change an assignment: the fields that the body carries. `where` and `when` are replaced whole.',
      body: UpdateAssignmentBody,
      response: Assignment,
      errors: [409],
    }),
    deleteAssignment: route({
      method: 'delete',
      path: '/:assignmentId',
      access,
      summary: 'Delete an assignment.',
    }),
  },
});
