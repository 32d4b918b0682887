import type { AnyRoute, Router } from '@botyard/contracts/http/contract';
import { EventStream } from '@botyard/contracts/http/event-stream';
import { z } from 'zod';

/**
 * The operations of the API that are tools of the MCP server. `reads` marks one that stores nothing although it is no
 * GET, `destroys` one whose effect can't be taken back.
 */
const operations: Readonly<Record<string, { reads?: true; destroys?: true }>> = {
  getCurrentUser: {},
  listBots: {},
  getBot: {},
  getBotStats: {},
  listIntegrations: {},
  listChats: {},
  countChats: {},
  getChat: {},
  listMessages: {},
  listNotes: {},
  listTraces: {},
  getTrace: {},
  listAgents: {},
  getAgent: {},
  listAgentDefinitions: {},
  getAgentDefinition: {},
  listAgentDefinitionVersions: {},
  getAgentDraft: {},
  saveAgentDraft: {},
  makeAgentDraftLive: {},
  previewTriage: { reads: true },
  listSources: {},
  searchSources: { reads: true },
  listDeadLetters: {},
  listUndeliveredReplies: {},
  getUsage: {},
  getQuota: {},
  listKeys: {},
  listPendingTickets: {},
  getTicket: {},
  tryAgent: {},
  replayDeadLetter: {},
  resendReply: {},
  updateChat: {},
  takeOverChat: {},
  handBackChat: {},
  writeMessage: { destroys: true },
  createNote: {},
  approveTicket: { destroys: true },
  rejectTicket: { destroys: true },
};

type JsonSchema = Record<string, unknown>;

/** A tool, and where each of its arguments goes. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { type: 'object' };
  readonly annotations: Readonly<Record<string, boolean>>;
  readonly readsOnly: boolean;
  readonly method: string;
  /** With the router's base path. */
  readonly path: string;
  readonly pathNames: readonly string[];
  readonly queryNames: readonly string[];
  readonly bodyNames: readonly string[];
  readonly hasBody: boolean;
  /** Whether the route takes a tenant's identifier, which is never an argument. */
  readonly tenantIn: 'path' | 'query' | null;
  readonly isStream: boolean;
}

/** Made from the contracts: names, descriptions and schemas are those of the API. @throws for an unknown operation. */
export function createTools(routers: readonly Router[]): Tool[] {
  const routes = new Map(
    routers.flatMap(({ basePath, routes: ofRouter }) =>
      Object.entries(ofRouter).map(([name, route]) => [name, { basePath, route }] as const),
    ),
  );
  return Object.entries(operations).map(([operation, { reads = false, destroys = false }]) => {
    const entry = routes.get(operation);
    if (!entry) throw new Error(`there is no operation ${operation}`);
    return toTool(operation, entry, { reads, destroys });
  });
}

function toTool(
  operation: string,
  { basePath, route }: { basePath: string; route: AnyRoute },
  { reads, destroys }: { reads: boolean; destroys: boolean },
): Tool {
  const path = `${basePath}${route.path === '/' ? '' : route.path}`;
  const query = propertiesOf(route.query);
  const body = route.body ? propertiesOf(route.body) : none;
  const segments = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const pathNames = segments.filter((name) => name !== 'tenantId');
  const ofPath = Object.fromEntries(pathNames.map((name) => [name, { type: 'string', maxLength: 200 }]));
  const { tenantId, ...ofQuery } = query.properties;
  const readsOnly = reads || route.method === 'get';
  return {
    name: operation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    description: `${route.summary}${route.description === undefined ? '' : ` ${route.description}`}`,
    inputSchema: {
      type: 'object',
      properties: { ...ofPath, ...ofQuery, ...body.properties },
      required: [...pathNames, ...query.required.filter((name) => name !== 'tenantId'), ...body.required],
      additionalProperties: false,
      ...(body.$defs === undefined ? {} : { $defs: body.$defs }),
    },
    annotations: {
      readOnlyHint: readsOnly,
      destructiveHint: destroys,
      idempotentHint: readsOnly || route.method === 'put',
      openWorldHint: destroys,
    },
    readsOnly,
    method: route.method.toUpperCase(),
    path,
    pathNames,
    queryNames: Object.keys(ofQuery),
    bodyNames: Object.keys(body.properties),
    hasBody: route.body !== null,
    tenantIn: segments.includes('tenantId') ? 'path' : tenantId === undefined ? null : 'query',
    isStream: route.response === EventStream,
  };
}

interface Fields {
  properties: Readonly<Record<string, unknown>>;
  required: readonly string[];
  $defs?: unknown;
}

const none: Fields = { properties: {}, required: [] };

/** The fields of a query or body, which is an object: itself, or a schema with a name. @throws for any other. */
function propertiesOf(schema: z.ZodType): Fields {
  const { $defs, ...root } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema & {
    $ref?: string;
    $defs?: Record<string, JsonSchema>;
  };
  const { type, properties = {}, required = [] } = $defs?.[root.$ref?.replace('#/$defs/', '') ?? ''] ?? root;
  if (type !== 'object') throw new Error('a tool needs a body that is an object');
  return { properties, required, $defs } as Fields;
}
