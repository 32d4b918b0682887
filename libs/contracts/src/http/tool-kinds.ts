import { z } from 'zod';
import { Choices } from '../choices.ts';
import { id } from './common.ts';
import { anyToolName, spelledTool, toolkitSlug } from './tools.ts';

/** The name of a host, with no scheme, port or path: `api.example.com`. */
const hostName = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(
    /^(?=.*[a-z])[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/,
    'must be the name of a host',
  );

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The longest JSON Schema of arguments that a model is shown. */
export const maxSchemaUnits = 16_000;

/** Kinds of tools. A model gives `parameters` when it calls one; a tenant gives `settings` when it defines one. */
export const toolKinds = {
  current_time: {
    summary: 'Tells the date and the time of day in a time zone.',
    parameters: z.object({
      timeZone: z
        .string()
        .max(100)
        .optional()
        .describe('IANA name, such as Europe/Berlin. Defaults to the time zone of the tool.'),
    }),
    settings: z.object({
      timeZone: z.string().max(100).refine(isTimeZone, 'must be an IANA time zone').default('UTC'),
    }),
  },
  calculator: {
    summary: 'Calculates an expression exactly: numbers, + - * / ^ %, parentheses, functions, units.',
    parameters: z.object({
      expression: z.string().min(1).max(500).describe('The expression, such as 12 * (3 + 4.5) ^ 2'),
    }),
    settings: z.object({}),
  },
  http_get: {
    summary: 'Reads a page or a JSON document from one of the hosts that the tenant allows.',
    parameters: z.object({
      url: z.string().min(1).max(2000).describe('An https address on one of the allowed hosts.'),
    }),
    settings: z.object({ hosts: z.array(hostName).min(1).max(50) }),
  },
  search_context: {
    summary: "Searches the tenant's documents.",
    parameters: z.object({ query: z.string().min(1).max(500).describe('The words to look for.') }),
    settings: z.object({
      sourceIds: z.array(id).max(100).optional().describe('Only these documents. Defaults to all.'),
      limit: z.int().min(1).max(10).default(5),
    }),
  },
  hand_over: {
    summary:
      'Hands the chat over to a person and ends the turn. No agent answers until the chat is given back.',
    parameters: z.object({
      reason: z
        .string()
        .trim()
        .min(1)
        .max(500)
        .refine((text) => !text.includes('\0'), 'must not contain the character U+0000')
        .describe('Why a person is needed, for the people who handle the chat.'),
    }),
    settings: z.object({}),
  },
  offer_choices: {
    summary: 'Shows texts to choose from under the answer. The chosen one is the next message of the person.',
    parameters: z.object({
      choices: Choices.describe('1 to 10 different texts of at most 40 characters, without line breaks.'),
    }),
    settings: z.object({}),
  },
  external: {
    summary: 'Calls a tool of an outside service, if the access rules allow it (`/api/integrations`).',
    parameters: z.record(z.string(), z.unknown()),
    settings: z
      .object({
        toolkit: toolkitSlug.describe('The outside service, or `mcp-<serverId>` for an MCP server.'),
        tool: anyToolName.describe("The tool, by its service's name for it."),
        connectionId: id
          .optional()
          .describe(
            'The connected account to use. Defaults to the most recently connected account of the toolkit.',
          ),
        parameters: z
          .record(z.string(), z.unknown())
          .refine(
            (schema) => JSON.stringify(schema).length <= maxSchemaUnits,
            `must be at most ${maxSchemaUnits} characters of JSON`,
          )
          .optional()
          .describe("JSON Schema of the arguments, for the model. Defaults to the tool's own."),
      })
      .overwrite((settings) => ({ ...settings, tool: spelledTool(settings.toolkit, settings.tool) })),
  },
} as const;

export const ToolKind = z.enum([
  'current_time',
  'calculator',
  'http_get',
  'search_context',
  'hand_over',
  'offer_choices',
  'external',
]);
export type ToolKind = z.output<typeof ToolKind>;
export type ToolParameters<Kind extends ToolKind> = z.output<(typeof toolKinds)[Kind]['parameters']>;
export type ToolSettings<Kind extends ToolKind> = z.output<(typeof toolKinds)[Kind]['settings']>;

/** The name by which a model calls a tool. */
export const toolName = z
  .string()
  .trim()
  .regex(
    /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/,
    'must begin with a letter, then letters, digits, _ or -, 64 in all',
  );
