import { z } from 'zod';
import { id, moment } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import {
  AccessGroup,
  AccessRule,
  maxAccessGroups,
  maxAccessRules,
  PutAccessGroupBody,
  PutAccessRuleBody,
} from './integrations-rules.ts';
import {
  ApproveTicketBody,
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
    name: z.string().describe('The name used in paths, rules and tools.'),
    title: z.string(),
    description: z.string(),
    needsConnection: z
      .boolean()
      .describe('Whether an account must be connected before the tools can be called.'),
    toolCount: z.int(),
  })
  .meta({ id: 'Toolkit', description: 'An outside service whose tools can be given to agents.' });
export type Toolkit = z.output<typeof Toolkit>;

export const ToolkitDetail = Toolkit.extend({
  tools: z
    .array(
      z.object({
        tool: z.string().describe('The name used in the settings of a tool of the kind `external`.'),
        title: z.string(),
        description: z.string(),
        parameters: z.record(z.string(), z.unknown()).describe('JSON Schema of the arguments.'),
        onlyReads: z.boolean().describe('Whether the tool only reads and changes nothing.'),
        isDestructive: z.boolean().describe('Whether the tool may destroy data, for example by deleting it.'),
        isRepeatable: z.boolean().describe('Whether repeating a call has no further effect.'),
      }),
    )
    .describe('The tools of the toolkit.'),
  connections: z.array(ToolConnection).describe("The tenant's active connections to the service."),
}).meta({
  id: 'ToolkitDetail',
  description: 'An outside service with its tools and the connected accounts.',
});
export type ToolkitDetail = z.input<typeof ToolkitDetail>;

export const PrivateLlmSettings = z
  .object({
    address: z
      .string()
      .nullable()
      .describe("The address of the model server. `null`: the operator's own server."),
    model: z
      .string()
      .nullable()
      .describe("The model that the name `default` stands for. `null`: the operator's setting."),
    allowedHosts: z.array(z.string()).describe('The hosts that the operator allows for the address.'),
    updatedAt: moment.nullable(),
  })
  .meta({
    id: 'PrivateLlmSettings',
    description: 'The model server for agents of the provider `private-llm`.',
  });
export type PrivateLlmSettings = z.input<typeof PrivateLlmSettings>;

export const PutPrivateLlmBody = z.object({
  address: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .nullish()
    .describe("The address of the model server; `null`: the operator's own server."),
  model: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .nullish()
    .describe("The model that the name `default` stands for; `null`: the operator's setting."),
});
export type PutPrivateLlmBody = z.output<typeof PutPrivateLlmBody>;

export const integrationsRouter = defineRouter({
  basePath: '/api/integrations',
  service: 'agents',
  description:
    'Tools of outside services for the active tenant. Returns 503 unless external tools are enabled.',
  routes: {
    listToolkits: admin.get('/toolkits', {
      summary: 'List the toolkits that the tenant may use.',
      query: z.object({
        search: z.string().trim().max(100).optional().describe('Part of the name or the description.'),
      }),
      response: z.array(Toolkit),
      errors: ofProvider,
    }),
    getToolkit: admin.get('/toolkits/:name', {
      summary: 'Get a toolkit with its tools.',
      params: { name: toolkitSlug },
      response: ToolkitDetail,
      errors: ofProvider,
    }),
    listConnections: admin.list('/connections', {
      summary: 'List the connected accounts.',
      query: PageQuery.extend({
        toolkit: toolkitSlug.optional(),
        status: ConnectionStatus.optional().describe('Only connections in this state.'),
      }),
      response: z.array(ToolConnection),
    }),
    getConnection: admin.get('/connections/:connectionId', {
      summary: 'Get a connected account.',
      response: ToolConnection,
    }),
    deleteConnection: admin.delete('/connections/:connectionId', {
      summary: 'Disconnect an account, here and at the provider.',
      errors: ofProvider,
    }),
    listAccessRules: admin.get('/access-rules', {
      summary: 'List the access rules for tools.',
      description:
        'A call that matches no rule is denied. Among matching rules, `deny` takes precedence over `approval`, and `approval` over `allow`.',
      response: z.array(AccessRule),
    }),
    putAccessRule: admin.put('/access-rules', {
      summary: 'Create or replace an access rule.',
      description: `A rule with exactly the same conditions is replaced. A tenant has at most ${maxAccessRules} rules.`,
      body: PutAccessRuleBody,
      response: AccessRule,
      errors: [404, 409, 503],
    }),
    deleteAccessRules: admin.delete('/access-rules', {
      summary: 'Delete one access rule, or all of them.',
      description: 'Without `ruleId`, all rules are deleted, and every call is denied.',
      query: z.object({ ruleId: id.optional() }),
      errors: [404],
    }),
    listAccessGroups: admin.get('/groups', {
      summary: 'List the groups of people and tools that rules can name.',
      response: z.array(AccessGroup),
    }),
    putAccessGroup: admin.put('/groups', {
      summary: 'Create or replace a group, identified by its name.',
      description: `A tenant has at most ${maxAccessGroups} groups. Returns 409 if a group of the other kind has the name.`,
      body: PutAccessGroupBody,
      response: AccessGroup,
      errors: [409],
    }),
    deleteAccessGroup: admin.delete('/groups/:accessGroupId', {
      summary: 'Delete a group.',
      description: 'Returns 409 while a rule names the group.',
      errors: [409],
    }),
    getPrivateLlm: admin.get('/private-llm', {
      summary: 'Get the model server for agents of the provider `private-llm`.',
      response: PrivateLlmSettings,
    }),
    putPrivateLlm: admin.put('/private-llm', {
      summary: 'Set the model server for agents of the provider `private-llm`.',
      description:
        'Takes effect within 10 seconds. Returns 422 if the address is on a host that the operator does not allow.',
      body: PutPrivateLlmBody,
      response: PrivateLlmSettings,
      errors: [422],
    }),
    listPendingTickets: admin.list('/pending', {
      summary: 'List calls that need approval.',
      description: `Lists waiting calls by default. A waiting call expires after ${ticketHours} hours.`,
      query: TicketQuery,
      response: z.array(ToolTicket),
    }),
    getTicket: admin.get('/pending/:ticketId', {
      summary: 'Get a call that needs or needed approval, in any state.',
      response: ToolTicket,
    }),
    approveTicket: admin.post('/pending/:ticketId/approve', {
      summary: 'Approve a call.',
      description:
        'The stored call is made once, in the background, and the chat continues with its result. Returns 403 if the caller ' +
        'requested the call in the chat, and 409 if the call was already decided or has expired. A call whose server asks for ' +
        'something (`input`) goes on with the answers.',
      body: ApproveTicketBody,
      response: ToolTicket,
      errors: [403, 409],
    }),
    rejectTicket: admin.post('/pending/:ticketId/reject', {
      summary: 'Reject a call and inform the chat.',
      body: DecideTicketBody,
      response: ToolTicket,
      errors: [409],
    }),
    listHistory: admin.list('/history', {
      summary: 'List calls of external tools and their outcomes.',
      query: HistoryQuery,
      response: z.array(ToolExecution),
    }),
  },
});
