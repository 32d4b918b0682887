import { maxSchemaUnits, toolKinds } from '@botyard/contracts/http/tool-kinds';
import { serverOfToolkit } from '@botyard/contracts/http/tools';
import { withTenant } from '@botyard/shared/db/database';
import type { AgentAtWork } from '../../definitions/store/agent-equipment.ts';
import { listNamedTools, type NamedTool } from '../../mcp/domain/offered-tools.ts';
import { allowedDefinition } from '../../mcp/domain/usable-tool.ts';
import {
  type DefinedTool,
  type Equipment,
  type EquippedTool,
  withMoreTools,
} from '../../tools/domain/equipment.ts';
import type { Deps } from '../deps.ts';
import { searchName, withToolSearch } from './tool-search.ts';

/** Accepts any arguments; the provider reports those that don't fit. */
const anyArguments = { type: 'object', properties: {}, additionalProperties: true };

/**
 * Adds the tools of the servers that the agent names. Gives external tools the arguments that their tenant, the
 * provider or their server declares. Removes external tools while they are switched off, and tools of MCP servers that
 * no admin allows as they are. More than the model can choose from are searched for.
 */
export async function withExternalTools(
  deps: Deps,
  { tenantId, serverIds }: Pick<AgentAtWork, 'tenantId' | 'serverIds'>,
  equipment: Equipment,
): Promise<Equipment> {
  const isOn = deps.config.TOOL_INTEGRATIONS_ENABLED;
  const kept = isOn ? equipment.tools : equipment.tools.filter((tool) => !isExternal(tool));
  const tools = await Promise.all(kept.map((tool) => withSchema(deps, tenantId, tool)));
  const usable = { ...equipment, tools: tools.filter((tool) => tool !== undefined) };
  if (!isOn || serverIds.length === 0) return withToolSearch(deps, tenantId, usable);
  const takenNames = new Set([searchName, ...usable.tools.map(({ offered }) => offered.name)]);
  const namedTools = await withTenant(deps.database, [tenantId], (tx) =>
    listNamedTools(tx, { tenantId, serverIds }, takenNames),
  );
  return withToolSearch(deps, tenantId, withMoreTools(usable, namedTools.map(equip)));
}

const equip = ({
  toolId,
  pin,
  serverId,
  name,
  offeredName,
  description,
  inputSchema,
}: NamedTool): DefinedTool => ({
  toolId,
  pin,
  kind: 'external',
  settings: { toolkit: `mcp-${serverId}`, tool: name },
  offered: { name: offeredName, description, parameters: argumentsOf(inputSchema) },
});

const isExternal = (tool: EquippedTool): tool is DefinedTool => tool.kind === 'external';

async function withSchema(
  deps: Deps,
  tenantId: string,
  tool: EquippedTool,
): Promise<EquippedTool | undefined> {
  const settings = isExternal(tool) && toolKinds.external.settings.safeParse(tool.settings).data;
  if (!settings) return tool;
  const serverId = serverOfToolkit(settings.toolkit);
  const schema = serverId
    ? await schemaOfServer(deps, { tenantId, serverId, name: settings.tool })
    : (settings.parameters ?? (await schemaOfProvider(deps, settings.tool)));
  if (serverId && !schema) return undefined;
  return { ...tool, offered: { ...tool.offered, parameters: argumentsOf(schema) } };
}

const argumentsOf = (schema: Record<string, unknown> | null | undefined) =>
  schema?.type === 'object' && isShort(schema) ? schema : anyArguments;

/** The arguments of an allowed tool: its pin is of them, so that a tenant can't declare others. */
async function schemaOfServer(
  { database }: Pick<Deps, 'database'>,
  key: { tenantId: string; serverId: string; name: string },
): Promise<Record<string, unknown> | undefined> {
  const definition = await withTenant(database, [key.tenantId], (tx) => allowedDefinition(tx, key));
  return definition?.inputSchema;
}

async function schemaOfProvider(
  { toolProvider, log }: Pick<Deps, 'toolProvider' | 'log'>,
  name: string,
): Promise<Record<string, unknown> | null | undefined> {
  const provided = await toolProvider.getTool(name).catch((error: unknown) => {
    log.warn({ err: error, tool: name }, 'could not read the arguments of an external tool');
    return undefined;
  });
  return provided?.input_parameters;
}

const isShort = (schema: unknown): boolean => JSON.stringify(schema).length <= maxSchemaUnits;
