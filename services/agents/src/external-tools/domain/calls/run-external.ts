import { toolKinds } from '@botyard/contracts/http/tool-kinds';
import type { Deps } from '../../../deps.ts';
import type { DefinedTool } from '../../../tools/domain/equipment.ts';
import { ToolError } from '../../../tools/domain/tool.ts';
import { exactly } from './arguments.ts';
import type { Scene } from './call.ts';
import { callExternal, type ExternalEnd } from './call-external.ts';

/** Runs a model's call of an external tool. @throws ToolError, and as `callExternal`. */
export async function runExternal(
  deps: Deps,
  {
    scene,
    tool: { toolId, offered, settings: kept },
    input,
    signal,
  }: { scene: Scene; tool: DefinedTool; input: unknown; signal: AbortSignal },
): Promise<ExternalEnd> {
  const settings = toolKinds.external.settings.safeParse(kept).data;
  if (!settings) throw new ToolError('failed', 'the tool is not set up correctly');
  const tool = { toolId, name: offered.name, settings };
  return await callExternal(deps, { scene, tool, ...exactly(input) }, signal);
}
