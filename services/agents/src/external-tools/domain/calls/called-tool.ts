import { serverOfToolkit } from '@botyard/contracts/http/tools';
import { UnusableTool } from '../../../mcp/domain/unusable-tool.ts';
import { type ProviderTool, ToolProviderError } from '../../clients/tool-provider.ts';
import type { Deps } from '../../deps.ts';
import { accountFor } from '../connections.ts';
import { type CalledTool, executeOnce, isRepeatable } from './execute.ts';
import { type CallCircumstances, findServerTool } from './server-tool.ts';

/**
 * Reads a tool from the provider or its server. Rules refer to its toolkit, so the tenant's own setting has to be
 * verified: resolves with `undefined` if the tool is of another toolkit. @throws UnusableTool.
 */
export async function findCalledTool(
  deps: Deps,
  { tenantId, toolkit, tool }: { tenantId: string; toolkit: string; tool: string },
  circumstances: CallCircumstances,
): Promise<CalledTool | undefined> {
  const serverId = serverOfToolkit(toolkit);
  if (serverId) return await findServerTool(deps, { tenantId, serverId, name: tool }, circumstances);
  const provided = await readProviderTool(deps, tool);
  if (provided.toolkit.slug !== toolkit || provided.slug !== tool) return undefined;
  return {
    isRepeatable: isRepeatable(provided),
    needsApproval: false,
    pin: null,
    execute: ({ arguments: given, accountId }) =>
      executeOnce(deps, { tool, account: accountFor(tenantId, accountId), arguments: given }),
  };
}

async function readProviderTool(
  { toolProvider }: Pick<Deps, 'toolProvider'>,
  tool: string,
): Promise<ProviderTool> {
  try {
    return await toolProvider.getTool(tool);
  } catch (cause) {
    if (!(cause instanceof ToolProviderError)) throw cause;
    throw cause.fault === 'not found'
      ? new UnusableTool('gone', 'the tool no longer exists', { cause })
      : new UnusableTool('away', 'the service could not be reached', { cause });
  }
}
