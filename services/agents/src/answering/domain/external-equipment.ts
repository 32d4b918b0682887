import { maxSchemaUnits, toolKinds } from '@botyard/contracts/http/tool-kinds';
import type { DefinedTool, Equipment, EquippedTool } from '../../tools/domain/equipment.ts';
import type { Deps } from '../deps.ts';

/** Accepts any arguments; the provider reports those that don't fit. */
const anyArguments = { type: 'object', properties: {}, additionalProperties: true };

/**
 * Gives external tools the arguments that their tenant or the provider declares. Removes external tools while they are
 * switched off.
 */
export async function withExternalTools(deps: Deps, equipment: Equipment): Promise<Equipment> {
  if (!equipment.tools.some(isExternal)) return equipment;
  const isOn = deps.config.TOOL_INTEGRATIONS_ENABLED;
  const kept = isOn ? equipment.tools : equipment.tools.filter((tool) => !isExternal(tool));
  return { ...equipment, tools: await Promise.all(kept.map((tool) => withSchema(deps, tool))) };
}

const isExternal = (tool: EquippedTool): tool is DefinedTool => tool.kind === 'external';

async function withSchema({ toolProvider, log }: Deps, tool: EquippedTool): Promise<EquippedTool> {
  const settings = isExternal(tool) && toolKinds.external.settings.safeParse(tool.settings).data;
  if (!settings) return tool;
  const provided = settings.parameters
    ? undefined
    : await toolProvider.getTool(settings.tool).catch((error: unknown) => {
        log.warn({ err: error, tool: settings.tool }, 'could not read the arguments of an external tool');
        return undefined;
      });
  const schema = settings.parameters ?? provided?.input_parameters;
  const parameters = schema?.type === 'object' && isShort(schema) ? schema : anyArguments;
  return { ...tool, offered: { ...tool.offered, parameters } };
}

const isShort = (schema: unknown): boolean => JSON.stringify(schema).length <= maxSchemaUnits;
