import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import {
  AccessGroup,
  AccessRule,
  maxAccessGroups,
  maxAccessRules,
  PutAccessGroupBody,
  PutAccessRuleBody,
} from './integrations-rules.ts';
import {
  DecideTicketBody,
  HistoryQuery,
  TicketQuery,
  ToolExecution,
  ToolTicket,
  ticketHours,
} from './integrations-tickets.ts';
import { PageQuery } from './page.ts';
import { ConnectionStatus, ToolConnection, toolkitSlug } from './tools.ts';

const ofProvider = [404, 502, 503] as const;

export const Toolkit = z
  .object({
    name: z.string().describe('What paths, rules and tools call it.'),
    title: z.string(),
    description: z.string(),
    needsConnection: z
      .boolean()
      .describe('Whether an account has to be connected before its tools can be called.'),
    toolCount: z.number().int(),
  })
  .meta({ id: 'Toolkit', description: 'An outside service whose tools agents may be given.' });
export type Toolkit = z.output<typeof Toolkit>;

export const ToolkitDetail = Toolkit.extend({
  tools: z
    .array(
      z.object({
        tool: z.string().describe('What the settings of a tool of the kind `external` name.'),
        title: z.string(),
        description: z.string(),
        parameters: z.record(z.string(), z.unknown()).describe('JSON Schema of its arguments.'),
        onlyReads: z.boolean().describe('Whether it changes nothing.'),
        isDestructive: z.boolean().describe('Whether it may destroy something, such as by deleting it.'),
        isRepeatable: z.boolean().describe('Doing it twice is doing it once.'),
      }),
    )
    .describe('What it can do.'),
  connections: z.array(ToolConnection).describe("The tenant's that are active."),
}).meta({
  id: 'ToolkitDetail',
  description: 'An outside service with its tools and the connected accounts.',
});
export type ToolkitDetail = z.input<typeof ToolkitDetail>;

export const PrivateLlmSettings = z
  .object({
    address: z.string().nullable().describe("`null`: the operator's own."),
    model: z.string().nullable().describe('What the model name `default` means.'),
    allowedHosts: z.array(z.string()).describe('Where an address may be, as the operator has set it.'),
    updatedAt: moment.nullable(),
  })
  .meta({ id: 'PrivateLlmSettings', description: 'Where agents of the provider `private-llm` are run.' });
export type PrivateLlmSettings = z.input<typeof PrivateLlmSettings>;

export const PutPrivateLlmBody = z.object({
  address: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .nullable()
    .optional()
    .describe("Where the model server is; `null`: the operator's own."),
  model: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .nullable()
    .optional()
    .describe('What the model name `default` means; `null`: as the operator has set it.'),
});
export type PutPrivateLlmBody = z.output<typeof PutPrivateLlmBody>;

export const integrationsRouter = defineRouter({
  basePath: '/api/integrations',
  service: 'agents',
  description: 'Tools of outside services, in the active tenant. 503 unless external tools are switched on.',
  routes: {
    listToolkits: route({
      method: 'get',
      path: '/toolkits',
      access: 'admin',
      summary: 'List the toolkits that may be used.',
      query: z.object({
        search: z.string().trim().max(100).optional().describe('A part of the name or the description.'),
      }),
      response: z.array(Toolkit),
      errors: ofProvider,
    }),
    getToolkit: route({
      method: 'get',
      path: '/toolkits/:name',
      access: 'admin',
      summary: 'Get a toolkit with its tools.',
      params: { name: toolkitSlug },
      response: ToolkitDetail,
      errors: ofProvider,
    }),
    listConnections: route({
      method: 'get',
      path: '/connections',
      access: 'admin',
      summary: 'List the connected accounts.',
      query: PageQuery.extend({
        toolkit: toolkitSlug.optional(),
        status: ConnectionStatus.optional().describe('Only connections in this state.'),
      }),
      response: z.array(ToolConnection),
      paged: true,
    }),
    getConnection: route({
      method: 'get',
      path: '/connections/:connectionId',
      access: 'admin',
      summary: 'Get a connected account.',
      response: ToolConnection,
    }),
    deleteConnection: route({
      method: 'delete',
      path: '/connections/:connectionId',
      access: 'admin',
      summary: 'Disconnect an account, here and at the provider.',
      errors: ofProvider,
    }),
    listAccessRules: route({
      method: 'get',
      path: '/access-rules',
      access: 'admin',
      summary: 'List who may use which tool.',
      description:
        'A call that no rule fits is denied. Of the rules that fit a call `deny` wins, then `approval`, then `allow`.',
      response: z.array(AccessRule),
    }),
    putAccessRule: route({
      method: 'put',
      path: '/access-rules',
      access: 'admin',
      acceptsTokens: false,
      summary: 'Set a rule.',
      description: `One that is about exactly the same is replaced. At most ${maxAccessRules}.`,
      body: PutAccessRuleBody,
      response: AccessRule,
      errors: [404, 409, 503],
    }),
    deleteAccessRules: route({
      method: 'delete',
      path: '/access-rules',
      access: 'admin',
      acceptsTokens: false,
      summary: 'Delete one rule, or all of them.',
      description: 'Without `ruleId` all are deleted, and every call is denied.',
      query: z.object({ ruleId: id.optional() }),
      errors: [404],
    }),
    listAccessGroups: route({
      method: 'get',
      path: '/groups',
      access: 'admin',
      summary: 'List the groups of people and of tools that rules can name.',
      response: z.array(AccessGroup),
    }),
    putAccessGroup: route({
      method: 'put',
      path: '/groups',
      access: 'admin',
      acceptsTokens: false,
      summary: 'Set a group, by its name.',
      description: `At most ${maxAccessGroups}. 409 for a name that a group of the other kind has.`,
      body: PutAccessGroupBody,
      response: AccessGroup,
      errors: [409],
    }),
    deleteAccessGroup: route({
      method: 'delete',
      path: '/groups/:accessGroupId',
      access: 'admin',
      acceptsTokens: false,
      summary: 'Delete a group.',
      description: '409 while a rule names it.',
      errors: [409],
    }),
    getPrivateLlm: route({
      method: 'get',
      path: '/private-llm',
      access: 'admin',
      summary: 'Get where agents of the provider `private-llm` are run.',
      response: PrivateLlmSettings,
    }),
    putPrivateLlm: route({
      method: 'put',
      path: '/private-llm',
      access: 'admin',
      summary: 'Set it.',
      description: 'Holds within 10 seconds. 422 for an address on a host that the operator does not allow.',
      body: PutPrivateLlmBody,
      response: PrivateLlmSettings,
      errors: [422],
    }),
    listPendingTickets: route({
      method: 'get',
      path: '/pending',
      access: 'admin',
      summary: 'List calls that wait for approval.',
      description: `They expire after ${ticketHours} hours.`,
      query: TicketQuery,
      response: z.array(ToolTicket),
      paged: true,
    }),
    getTicket: route({
      method: 'get',
      path: '/pending/:ticketId',
      access: 'admin',
      summary: 'Get one, whatever has become of it.',
      response: ToolTicket,
    }),
    approveTicket: route({
      method: 'post',
      path: '/pending/:ticketId/approve',
      access: 'admin',
      acceptsTokens: false,
      summary: 'Approve a call.',
      description:
        'The call that was stored is made, once, in the background, and the chat goes on with its result. 403 for who asked for it ' +
        'in the chat; 409 when it was decided already, or has expired.',
      body: DecideTicketBody,
      response: ToolTicket,
      errors: [403, 409],
    }),
    rejectTicket: route({
      method: 'post',
      path: '/pending/:ticketId/reject',
      access: 'admin',
      acceptsTokens: false,
      summary: 'Reject a call; the chat is told.',
      body: DecideTicketBody,
      response: ToolTicket,
      errors: [409],
    }),
    listHistory: route({
      method: 'get',
      path: '/history',
      access: 'admin',
      summary: 'List calls of external tools, and what came of them.',
      query: HistoryQuery,
      response: z.array(ToolExecution),
      paged: true,
    }),
  },
});
