import { z } from 'zod';
import { id, moment } from './common.ts';
import { admin, defineRouter } from './contract.ts';

/** A toolkit as the provider names it: `gmail`. */
export const toolkitSlug = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be the name of a toolkit');

const serverToolkit = /^mcp-([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/;

/** The MCP server that a toolkit stands for: `mcp-<serverId>`. */
export const serverOfToolkit = (toolkit: string): string | undefined => serverToolkit.exec(toolkit)?.[1];

/** A tool as its provider, or its MCP server, names it. */
export const anyToolName = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_.-]{1,128}$/, 'must be the name of a tool');

/** Names of the provider's tools have capital letters. Those of servers are compared exactly. */
export const spelledTool = (toolkit: string, tool: string): string =>
  serverOfToolkit(toolkit) === undefined ? tool.toUpperCase() : tool;

export const ConnectionStatus = z.enum(['pending', 'active', 'inactive', 'failed', 'expired']);
export type ConnectionStatus = z.output<typeof ConnectionStatus>;

export const ToolConnection = z
  .object({
    connectionId: id,
    toolkit: z.string(),
    status: ConnectionStatus.describe('`failed` and `expired` are final: start a new connection.'),
    userId: id.describe('The user who connected the account.'),
    createdAt: moment,
    verifiedAt: moment.nullable().describe('When the account was verified; `null` until then.'),
  })
  .meta({ id: 'ToolConnection', description: 'An account of an outside service that tools use.' });
export type ToolConnection = z.input<typeof ToolConnection>;

export const ConnectToolkitBody = z.object({
  toolkit: toolkitSlug,
  redirect: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional()
    .describe(
      'The address to which the provider sends the person afterwards. `state` is added to its query.',
    ),
});
export type ConnectToolkitBody = z.output<typeof ConnectToolkitBody>;

const StartedConnection = z
  .object({
    connectionId: id,
    state: z
      .string()
      .describe('A state for `POST /api/tools/verify`, valid once, for the same person in the same tenant.'),
    redirectUrl: z.string().describe("The provider's page on which the person authorizes the connection."),
    expiresAt: moment.describe('When the authorization can no longer be completed.'),
  })
  .meta({
    id: 'StartedConnection',
    description: 'The started connection of an account of an outside service.',
  });

export const VerifyConnectionBody = z
  .object({
    state: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('The `state` that `connectToolkit` returned. Alternative to `connectionId`.'),
    connectionId: z.string().min(1).max(200).optional(),
  })
  .refine(({ state, connectionId }) => (state === undefined) !== (connectionId === undefined), {
    error: 'send either state or connectionId',
  })
  .meta({ examples: [{ state: 'q0w9e8r7t6y5u4i3o2p1' }] });
export type VerifyConnectionBody = z.output<typeof VerifyConnectionBody>;

/** How long an authorization can be completed. */
export const connectWithinMinutes = 15;

export const toolsRouter = defineRouter({
  basePath: '/api/tools',
  service: 'agents',
  description:
    'Accounts at outside services for the tools of agents. Returns 503 unless external tools are enabled.',
  routes: {
    connectToolkit: admin.post('/connect', {
      summary: 'Start connecting an account.',
      description:
        "Returns the provider's page for the person, and a state. The state is bound to the person and the tenant, can be used " +
        `once, and expires after ${connectWithinMinutes} minutes. Returns 404 if the toolkit is not available.`,
      body: ConnectToolkitBody,
      status: 201,
      response: StartedConnection,
      errors: [404, 409, 502, 503],
    }),
    verifyConnection: admin.post('/verify', {
      summary: 'Confirm that an account was connected.',
      description:
        'Asks the provider. The connection is `active` only if the account exists, is usable, and was connected by the caller for ' +
        'this tenant. It is `pending` until the person has finished; call this again then. ' +
        'Returns 409 if the state was used or has expired.',
      body: VerifyConnectionBody,
      response: ToolConnection,
      errors: [404, 409, 502, 503],
    }),
  },
});
