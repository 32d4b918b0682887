import { z } from 'zod';
import { id, moment, name } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import {
  PutServerToolBody,
  ServerTool,
  ServerToolTrial,
  TryServerToolBody,
  toolName,
} from './integrations-server-tools.ts';
import { signInCookies, ToolServerSignIn } from './oauth-client.ts';
import { PlatformName } from './platform.ts';

export const maxToolServers = 20;

/** Headers that the protocol, HTTP or the connection itself sets. */
const reservedHeaders = [
  'host',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'cookie',
  'origin',
  'accept',
  'forwarded',
  'last-event-id',
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
    url: z.string().describe('The address of the Streamable HTTP endpoint.'),
    authorization: z
      .object({
        type: z.enum(['none', 'header', 'oauth']).describe('Whether calls are authorized, and by what.'),
        header: z.string().optional().describe('The name of the header.'),
        clientId: z.string().optional().describe("The tenant's own client at the authorization server."),
      })
      .describe('How calls are authorized. Values of headers, secrets and tokens are never returned.'),
    grantOf: z
      .enum(['tenant', 'person'])
      .describe("Whose authorization calls use: the tenant's, or that of the person who asks."),
    timeoutMs: z.int().describe('The limit on one request to the server.'),
    state: ToolServerState.describe('`unchecked`: its tools have not been read since the last change.'),
    lastError: z.string().nullable().describe('Why the server is not ready; `null` otherwise.'),
    createdAt: moment,
    checkedAt: moment
      .nullable()
      .describe('When its tools were last read, successfully or not; `null` before the first time.'),
    updatedAt: moment,
  })
  .meta({ id: 'ToolServer', description: 'An MCP server of the tenant.' });
export type ToolServer = z.input<typeof ToolServer>;

const printable = (maxUnits: number) =>
  z
    .string()
    .min(1)
    .max(maxUnits)
    .regex(/^[!-~](?:[ -~]*[!-~])?$/, 'must be printable ASCII without spaces at its ends');

const Authorization = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('none') }),
    z.object({
      type: z.literal('header'),
      header: headerName,
      value: printable(4000).describe('The value of the header. It is stored sealed and never returned.'),
    }),
    z.object({
      type: z.literal('oauth'),
      clientId: printable(500)
        .optional()
        .describe(
          'A client that you registered at the authorization server. By default Botyard registers itself.',
        ),
      clientSecret: printable(1000)
        .optional()
        .describe("The client's secret, if it has one. It is stored sealed and never returned."),
    }),
  ])
  .meta({ id: 'ToolServerAuthorization', description: 'How calls of the server are authorized.' });
export type ToolServerAuthorization = z.output<typeof Authorization>;

export const ToolServerPerson = z
  .object({
    personId: id.describe('The person, as in the access rules.'),
    name: z.string().describe("The person's name when they connected their account."),
    platform: PlatformName.describe('The platform of their chat.'),
    connectedAt: moment.describe('When the account was connected, or its tokens were last renewed.'),
  })
  .meta({ id: 'ToolServerPerson', description: 'A person with an account of their own at an MCP server.' });

const fields = {
  name,
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .describe('The address of the Streamable HTTP endpoint: https, on a public host.'),
  authorization: Authorization,
  grantOf: z
    .enum(['tenant', 'person'])
    .describe(
      'Whose authorization calls use. `person` needs the authorization `oauth`: each person connects an account of ' +
        "their own, by a link in their private chat. An admin's sign-in then only reads the list of tools.",
    ),
  timeoutMs: z.int().min(1000).max(60_000).describe('The limit on one request to the server.'),
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
  cookies: Object.values(signInCookies),
  description: 'MCP servers of the active tenant. Returns 503 unless external tools are enabled.',
  routes: {
    createToolServer: admin.post('/', {
      summary: 'Add an MCP server.',
      description:
        `The server is not contacted. A tenant has at most ${maxToolServers} servers with different names. ` +
        'Returns 422 for an address that may not be called.',
      body: CreateToolServerBody,
      status: 201,
      response: ToolServer,
      errors: [409, 422],
    }),
    listToolServers: admin.get('/', {
      summary: 'List the MCP servers, the newest first.',
      response: z.array(ToolServer),
    }),
    getToolServer: admin.get('/:serverId', { summary: 'Get an MCP server.', response: ToolServer }),
    updateToolServer: admin.put('/:serverId', {
      summary: 'Change an MCP server.',
      description:
        'Fields that are left out stay. An authorization is only sent to the origin that it was stored for: a new ' +
        'origin needs the authorization again, or 409 is returned. Returns 422 for an address that may not be called.',
      body: UpdateToolServerBody,
      response: ToolServer,
      errors: [409, 422],
    }),
    deleteToolServer: admin.delete('/:serverId', {
      summary: 'Delete an MCP server.',
      description:
        'What was decided about its tools is deleted, too. Returns 409 while agents name the server.',
      errors: [409],
    }),
    refreshToolServer: admin.post('/:serverId/refresh', {
      summary: 'Read the tools of an MCP server.',
      description:
        'Calls the server. A server that could not be read is returned with its `state` and `lastError`; what is ' +
        'known of its tools stays. Returns 409 if the server was changed or deleted meanwhile, and 503 while too ' +
        'many servers are being read.',
      response: ToolServer,
      errors: [409, 503],
    }),
    authorizeToolServer: admin.post('/:serverId/authorize', {
      summary: 'Begin to sign in to an MCP server.',
      description:
        'For servers with the authorization `oauth`. Looks for the authorization server and returns its page, which ' +
        'sends the person back to `/oauth/callback`. Returns 409 for another authorization, 422 if the server can ' +
        'not be signed in to, and 503 if it does not answer.',
      status: 201,
      response: ToolServerSignIn,
      errors: [409, 422, 503],
    }),
    listToolServerPeople: admin.get('/:serverId/people', {
      summary: 'List the people who have connected an account of their own, by name.',
      description: 'Empty for a server whose calls use the authorization of the tenant.',
      response: z.array(ToolServerPerson),
    }),
    disconnectToolServerPerson: admin.delete('/:serverId/people/:personId', {
      summary: 'Disconnect the account of a person.',
      description: 'Its tokens are revoked, as far as the authorization server offers it.',
    }),
    listServerTools: admin.get('/:serverId/tools', {
      summary: 'List the tools of an MCP server, by name.',
      description: 'The tools as they were last read, at most 1,000. The server is not contacted.',
      response: z.array(ServerTool),
    }),
    putServerTool: admin.put('/:serverId/tools/:name', {
      summary: 'Decide about a tool of an MCP server.',
      description:
        'The decision holds for the definition with this pin. Returns 409 if the definition has changed since, or ' +
        'for a refused tool.',
      params: { name: toolName },
      body: PutServerToolBody,
      response: ServerTool,
      errors: [409],
    }),
    tryServerTool: admin.post('/:serverId/tools/:name/try', {
      summary: 'Call a tool of an MCP server by hand.',
      description:
        'Makes one call, within 9 seconds, and never makes it again. Returns 409 for a tool that is not allowed and ' +
        'for a pin that is no longer its own, 422 for a tool that does not only read unless the call is confirmed, ' +
        'and 503 if the server can not be read. Nothing was called then.',
      params: { name: toolName },
      body: TryServerToolBody,
      status: 200,
      response: ServerToolTrial,
      errors: [409, 422, 503],
    }),
  },
});
