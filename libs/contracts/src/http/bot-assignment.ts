import { z } from 'zod';
import { id, moment } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import { PageQuery } from './page.ts';

/** Limit per bot; exceeding it returns 409. */
export const maxAssignments = 100;

/** A language tag as reported by people's apps; only the part before the first hyphen is compared. */
export const languageTag = z
  .string()
  .trim()
  .toLowerCase()
  .max(35)
  .regex(/^[a-z]{2,8}(-[a-z0-9]{1,8})*$/, 'must be a language such as `en` or `pt-BR`')
  .meta({ examples: ['pt-br'] });

/** The platform's identifier of a topic; messages outside topics are in `general`. */
export const topicId = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be the identifier of a topic, or `general`')
  .meta({ examples: ['42'] });

/** One chat, a group (or one of its topics), or all chats of a kind. Without any field: all chats. */
export const whereFields = {
  chatId: id.optional().describe('Only this chat, as listed by `/api/interactions/chats`.'),
  groupId: id
    .optional()
    .describe('Only this group, as listed by `/api/bot-groups`. All its topics, unless `threadId` is set.'),
  kind: z.enum(['private', 'group', 'channel']).optional(),
  threadId: topicId.optional().describe('Only this topic of the group. Requires `groupId`.'),
};

type Where = { [Field in keyof typeof whereFields]?: string | undefined };

export function refineWhere({ chatId, groupId, kind, threadId }: Where, ctx: z.RefinementCtx): void {
  if ([chatId, groupId, kind].filter(Boolean).length > 1)
    ctx.addIssue({ code: 'custom', message: 'give at most one of chatId, groupId and kind' });
  if (threadId && !groupId)
    ctx.addIssue({ code: 'custom', path: ['threadId'], message: 'requires a groupId' });
}

const Where = z
  .object(whereFields)
  .superRefine(refineWhere)
  .meta({ examples: [{ kind: 'private' }] });

/** Both conditions must hold; an omitted one always holds. */
const When = z.object({
  keywords: z
    .array(z.string().trim().toLowerCase().min(1).max(100))
    .max(50)
    .optional()
    .describe('The message must contain one of these keywords. Case is ignored.'),
  language: languageTag
    .optional()
    .describe(
      "The language of the sender's app, such as `pt-BR`. Only the part before the first hyphen is compared.",
    ),
});

export const Assignment = z
  .object({
    assignmentId: id,
    botId: id,
    agentId: id,
    where: Where.describe(
      'The chats in which the assignment applies. If empty, it applies in all chats of the bot.',
    ),
    when: When.describe('Further conditions. If empty, there are none.'),
    priority: z.int(),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'Assignment', description: "An assignment of an agent to some of a bot's chats." });
export type Assignment = z.input<typeof Assignment>;

const priority = z
  .int()
  .min(-1000)
  .max(1000)
  .describe(
    'Among assignments that match, the one with the highest priority applies, then the one for the narrowest ' +
      'set of chats, then the oldest.',
  );

export const CreateAssignmentBody = z.object({
  botId: id,
  agentId: id.describe(
    "The agent that answers. It must belong to the tenant, but need not be one of the bot's agents.",
  ),
  where: Where.default({}).describe(
    'The chats in which the assignment applies. If empty, it applies in all chats of the bot.',
  ),
  when: When.default({}).describe('Further conditions. If empty, there are none.'),
  priority: priority.default(0),
});
export type CreateAssignmentBody = z.output<typeof CreateAssignmentBody>;

export const UpdateAssignmentBody = z.object({
  agentId: id.optional(),
  where: Where.optional().describe(
    'The chats in which the assignment applies. Replaces the previous value completely.',
  ),
  when: When.optional().describe('Further conditions. Replaces the previous value completely.'),
  priority: priority.optional(),
});
export type UpdateAssignmentBody = z.output<typeof UpdateAssignmentBody>;

export const botAssignmentRouter = defineRouter({
  basePath: '/api/bot-assignment',
  service: 'agents',
  description:
    'Assignments of agents to chats of the active tenant. Changes take effect from the next turn. A message ' +
    'that names an agent is still answered by that agent.',
  routes: {
    listAssignments: admin.list('/', {
      summary: 'List assignments.',
      query: PageQuery.extend({ botId: id.optional(), agentId: id.optional() }),
      response: z.array(Assignment),
    }),
    createAssignment: admin.post('/', {
      summary: 'Assign an agent to chats of a bot.',
      description: `Returns 409 if the bot already has an assignment for the same chats and conditions, or ${maxAssignments} assignments.`,
      body: CreateAssignmentBody,
      response: Assignment,
      status: 201,
      errors: [404, 409],
    }),
    getAssignment: admin.get('/:assignmentId', { summary: 'Get an assignment.', response: Assignment }),
    updateAssignment: admin.put('/:assignmentId', {
      summary:
        'Update an assignment. Omitted fields are unchanged; `where` and `when` are replaced completely.',
      body: UpdateAssignmentBody,
      response: Assignment,
      errors: [409],
    }),
    deleteAssignment: admin.delete('/:assignmentId', { summary: 'Delete an assignment.' }),
  },
});
