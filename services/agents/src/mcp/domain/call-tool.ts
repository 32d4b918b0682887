import { type CallWatch, callTool } from '../clients/server-visit.ts';
import type { TokenDeps } from './access-token.ts';
import { openAddress } from './authorization.ts';
import { type ResultParts, readParts } from './result-parts.ts';
import type { UsableTool } from './usable-tool.ts';

/** The result of a call: foreign data. */
export interface CallResult extends ResultParts {
  isError: boolean;
}

/** Calls a tool once. @throws VisitError, which says whether it may have run. */
export async function callServerTool(
  deps: TokenDeps,
  { server, name, definition }: UsableTool,
  parameters: Record<string, unknown>,
  watch?: CallWatch,
): Promise<CallResult> {
  const address = await openAddress(deps, server);
  const call = { name, arguments: parameters, inputSchema: definition.inputSchema };
  const result = await callTool(deps.egress, address, call, watch);
  return { isError: result.isError, ...readParts(result) };
}
