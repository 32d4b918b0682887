import { z } from 'zod';
import { id, moment, name } from './common.ts';
import { anyToolName, spelledTool, toolkitSlug } from './tools.ts';

export const maxAccessRules = 500;
export const maxAccessGroups = 100;
const maxGroupMembers = 500;

export const AccessEffect = z.enum(['allow', 'approval', 'deny']);
export type AccessEffect = z.output<typeof AccessEffect>;

/** A rule's conditions. A call matches if it meets all given conditions; a rule without any matches every call. */
const about = {
  userId: id
    .nullable()
    .describe('A person of a platform, or the user who has linked that account; `null`: any.'),
  userGroupId: id.nullable().describe('A group of people; `null`: any.'),
  botId: id.nullable().describe('The bot in whose chat the tool is called; `null`: any.'),
  agentId: id.nullable().describe('The agent that calls the tool; `null`: any.'),
  toolkit: toolkitSlug
    .nullable()
    .describe('The outside service, or `mcp-<serverId>` for an MCP server; `null`: any.'),
  tool: anyToolName.nullable().describe("The tool, by the outside service's name for it; `null`: any."),
  toolGroupId: id.nullable().describe('A group of tools; `null`: any.'),
};

const optional = Object.fromEntries(
  Object.entries(about).map(([field, shape]) => [field, shape.default(null)]),
) as { [Field in keyof typeof about]: z.ZodDefault<(typeof about)[Field]> };

export const AccessRule = z
  .object({
    ruleId: id,
    effect: AccessEffect,
    ...about,
    toolkit: z.string().nullable().describe('The outside service; `null`: any.'),
    tool: z.string().nullable().describe("The tool, by the outside service's name for it; `null`: any."),
    note: z.string(),
    createdBy: id.describe('The user who last saved the rule.'),
    updatedAt: moment,
  })
  .meta({
    id: 'AccessRule',
    description:
      'A rule that decides whether matching calls of tools are made, refused, or need an approval.',
  });
export type AccessRule = z.input<typeof AccessRule>;

export const PutAccessRuleBody = z
  .object({
    effect: AccessEffect,
    ...optional,
    note: z.string().trim().max(500).default(''),
  })
  .overwrite((rule) => ({
    ...rule,
    tool: rule.toolkit && rule.tool ? spelledTool(rule.toolkit, rule.tool) : rule.tool,
  }));
export type PutAccessRuleBody = z.output<typeof PutAccessRuleBody>;

export const AccessGroup = z
  .object({
    accessGroupId: id,
    name: z.string(),
    kind: z.enum(['users', 'tools']),
    members: z
      .array(z.string())
      .describe(
        'For `users`: `userId`s. For `tools`: names of tools, `mcp-<serverId>/name` for those of MCP servers, or ' +
          '`toolkit/*` for all tools of a toolkit.',
      ),
    updatedAt: moment,
  })
  .meta({ id: 'AccessGroup', description: 'A group of people or tools that rules can name.' });

const toolMember = z
  .string()
  .trim()
  .regex(
    /^([a-z0-9][a-z0-9_-]{0,63}\/\*|[A-Z0-9][A-Z0-9_-]{0,127}|mcp-[0-9a-f-]{36}\/[A-Za-z0-9_.-]{1,128})$/,
    'must be TOOL_NAME, toolkit/* or mcp-<serverId>/name',
  );

export const PutAccessGroupBody = z
  .object({
    name,
    kind: z.enum(['users', 'tools']),
    members: z
      .array(z.string())
      .max(maxGroupMembers)
      .describe(
        'For `users`: `userId`s. For `tools`: names of tools, `mcp-<serverId>/name` for those of MCP servers, or ' +
          '`toolkit/*` for all tools of a toolkit.',
      ),
  })
  .superRefine(({ kind, members }, context) => {
    const read = z.array(kind === 'users' ? id : toolMember).safeParse(members);
    for (const { path, message } of read.error?.issues ?? [])
      context.addIssue({ code: 'custom', path: ['members', ...path], message });
  })
  .meta({ examples: [{ name: 'Calendars', kind: 'tools', members: ['googlecalendar/*'] }] });
export type PutAccessGroupBody = z.output<typeof PutAccessGroupBody>;
