import { type CallWatch, type Continuation, callTool, type ServerQuestion } from '../clients/server-call.ts';
import type { TokenDeps } from './access-token.ts';
import { openAddress } from './authorization.ts';
import { type ResultParts, readParts } from './result-parts.ts';
import type { UsableTool } from './usable-tool.ts';

/** The result of a call: foreign data. */
export interface CallResult extends ResultParts {
  isError: boolean;
}

/** One call, or its continuation. */
export interface ToolCall {
  parameters: Record<string, unknown>;
  continuation?: Continuation | undefined;
}

/** Calls a tool once. @throws VisitError, which says whether it may have run. */
export async function callServerTool(
  deps: TokenDeps,
  { server, name, definition, personId }: UsableTool,
  { parameters, continuation }: ToolCall,
  watch?: CallWatch,
): Promise<CallResult | ServerQuestion> {
  const address = await openAddress(deps, server, personId);
  const call = { name, arguments: parameters, inputSchema: definition.inputSchema, continuation };
  const answer = await callTool(deps.egress, address, call, watch);
  return 'inputRequests' in answer ? answer : { isError: answer.isError, ...readParts(answer) };
}
