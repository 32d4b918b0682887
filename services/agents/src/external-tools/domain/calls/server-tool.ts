import type { CallWatch } from '../../../mcp/clients/server-call.ts';
import { VisitError } from '../../../mcp/clients/server-visit.ts';
import {
  callServerTool,
  type Grantee,
  requireUsableTool,
  type ToolCall,
  type UsableTool,
} from '../../../mcp/domain/usable-tool.ts';
import type { ServerToolKey } from '../../../mcp/store/server-tools.ts';
import type { Deps } from '../../deps.ts';
import { type CalledTool, type Executed, shownResult } from './execute.ts';

/** Whether a call was approved, and the person whose own account it may use. */
export interface CallCircumstances {
  isApproved: boolean;
  grantee: Grantee;
}

/** A tool of an MCP server. Only an admin can say that it only reads, or may be repeated. @throws UnusableTool. */
export async function findServerTool(
  deps: Deps,
  key: ServerToolKey,
  circumstances: CallCircumstances,
): Promise<CalledTool> {
  const tool = await requireUsableTool(deps, key, circumstances);
  return {
    isRepeatable: tool.repeatable,
    needsApproval: !tool.readsOnly,
    pin: tool.pin,
    execute: ({ arguments: text, continuation }, watch) =>
      executeServerTool(deps, tool, { call: { parameters: JSON.parse(text), continuation }, watch }),
  };
}

/** Makes one call. Never throws for what the server does. */
export async function executeServerTool(
  deps: Pick<Deps, 'database' | 'egress' | 'keyring' | 'log'>,
  tool: UsableTool,
  { call, watch }: { call: ToolCall; watch: CallWatch | undefined },
): Promise<Executed> {
  try {
    const answer = await callServerTool(deps, tool, call, watch);
    if ('inputRequests' in answer)
      return { outcome: 'asks', question: answer, text: '', detail: null, logId: null };
    const { isError, text, pictures } = answer;
    return {
      outcome: isError ? 'failed' : 'succeeded',
      text: shownResult(text),
      pictures,
      detail: isError ? 'the tool reported an error' : null,
      logId: null,
    };
  } catch (error) {
    if (!(error instanceof VisitError)) throw error;
    deps.log.warn({ err: error, tool: tool.name, fault: error.fault }, 'a call of a server failed');
    return faulty(error);
  }
}

function faulty({ fault, message, mayHaveRun }: VisitError): Executed {
  const nothing = { text: '', logId: null };
  if (mayHaveRun) return { ...nothing, outcome: 'uncertain', detail: 'there was no answer' };
  const isPassing = fault === 'unreachable' || fault === 'no answer' || fault === 'broken';
  return { ...nothing, outcome: isPassing ? 'postponed' : 'failed', detail: message };
}
