import { z } from 'zod';
import { id, moment, name } from './common.ts';
import { defineRouter, route } from './contract.ts';

export const maxToolServers = 20;

/** Headers that the protocol, HTTP or the connection itself sets. */
const reservedHeaders = [
  ...[
    'host',
    'connection',
    'keep-alive',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'expect',
    'cookie',
  ],
  ...['origin', 'accept', 'forwarded', 'last-event-id'],
];
const reservedPrefixes = ['accept-', 'content-', 'mcp-', 'proxy-', 'sec-', 'x-forwarded-'];

function isReserved(header: string): boolean {
  const lowered = header.toLowerCase();
  return reservedHeaders.includes(lowered) || reservedPrefixes.some((prefix) => lowered.startsWith(prefix));
}

const headerName = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a header')
  .refine((header) => !isReserved(header), 'is set by the protocol and can not be chosen')
  .describe('The name of the header, for example `Authorization`.');

export const ToolServerState = z.enum(['unchecked', 'ready', 'needs_authorization', 'failed']);
export type ToolServerState = z.output<typeof ToolServerState>;

export const ToolServer = z
  .object({
    serverId: id,
    name: z.string(),
    url: z.string(),
    authorization: z
      .object({ type: z.enum(['none', 'header']), header: z.string().optional() })
      .describe('How calls are authorized. The value of the header is never returned.'),
    grantOf: z.enum(['tenant']).describe('Whose authorization is used: that of the tenant.'),
    timeoutMs: z.number().int(),
    state: ToolServerState.describe('`unchecked`: its tools have not been read since the last change.'),
    lastError: z.string().nullable().describe('Why the server is not ready; `null` otherwise.'),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'ToolServer', description: 'An MCP server of the tenant.' });
export type ToolServer = z.input<typeof ToolServer>;

const Authorization = z.discriminatedUnion('type', [
  z.object({ type: z.literal('none') }),
  z.object({
    type: z.literal('header'),
    header: headerName,
    value: z
      .string()
      .min(1)
      .max(4000)
      .regex(/^[!-~](?:[ -~]*[!-~])?$/, 'must be printable ASCII without spaces at its ends')
      .describe('The value of the header. It is stored sealed and never returned.'),
  }),
]);
export type ToolServerAuthorization = z.output<typeof Authorization>;

const fields = {
  name,
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .describe('The address of the Streamable HTTP endpoint: https, on a public host.'),
  authorization: Authorization,
  grantOf: z.enum(['tenant']).describe('Whose authorization is used.'),
  timeoutMs: z.number().int().min(1000).max(60_000).describe('The limit on one request to the server.'),
};

export const CreateToolServerBody = z
  .object({
    ...fields,
    authorization: Authorization.default({ type: 'none' }),
    grantOf: fields.grantOf.default('tenant'),
    timeoutMs: fields.timeoutMs.default(20_000),
  })
  .meta({ examples: [{ name: 'Tickets', url: 'https://mcp.example.com/mcp' }] });
export type CreateToolServerBody = z.output<typeof CreateToolServerBody>;

export const UpdateToolServerBody = z.object(fields).partial();
export type UpdateToolServerBody = z.output<typeof UpdateToolServerBody>;

export const toolServersRouter = defineRouter({
  basePath: '/api/integrations/servers',
  service: 'agents',
  description: 'MCP servers of the active tenant. Returns 503 unless external tools are enabled.',
  routes: {
    createToolServer: route({
      method: 'post',
      path: '/',
      access: 'admin',
      summary: 'Add an MCP server.',
      description:
        `The server is not contacted. A tenant has at most ${maxToolServers} servers with different names. ` +
        'Returns 422 for an address that may not be called.',
      body: CreateToolServerBody,
      status: 201,
      response: ToolServer,
      errors: [409, 422],
    }),
    listToolServers: route({
      method: 'get',
      path: '/',
      access: 'admin',
      summary: 'List the MCP servers, the newest first.',
      response: z.array(ToolServer),
    }),
    getToolServer: route({
      method: 'get',
      path: '/:serverId',
      access: 'admin',
      summary: 'Get an MCP server.',
      response: ToolServer,
    }),
    updateToolServer: route({
      method: 'put',
      path: '/:serverId',
      access: 'admin',
      summary: 'Change an MCP server.',
      description:
        'Fields that are left out stay. An authorization is only sent to the origin that it was stored for: a new ' +
        'origin needs the authorization again, or 409 is returned. Returns 422 for an address that may not be called.',
      body: UpdateToolServerBody,
      response: ToolServer,
      errors: [409, 422],
    }),
    deleteToolServer: route({
      method: 'delete',
      path: '/:serverId',
      access: 'admin',
      summary: 'Delete an MCP server.',
    }),
  },
});
