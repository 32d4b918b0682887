import { type ToolParameters, toolKinds } from '@botyard/contracts/http/tool-kinds';
import { calculate } from './calculator.ts';
import { tellTime } from './current-time.ts';
import { getPage } from './http-get.ts';
import { searchContext } from './search-context.ts';
import { type BuiltInKind, type Tool, type ToolDeps, ToolError, type ToolResult } from './tool.ts';

const tools: { [Kind in BuiltInKind]: Tool<Kind> } = {
  current_time: tellTime,
  calculator: calculate,
  http_get: getPage,
  search_context: searchContext,
};

/** A tool of a tenant, and the requested use; neither is checked yet. */
export interface ToolOrder {
  tenantId: string;
  kind: BuiltInKind;
  settings: unknown;
  parameters: unknown;
  signal: AbortSignal;
}

/** Runs a tool with arguments that fit its kind, and nothing else. @throws ToolError; the signal's own reason. */
export async function runTool(deps: ToolDeps, order: ToolOrder): Promise<ToolResult> {
  return await runKind(deps, order.kind, order);
}

async function runKind<Kind extends BuiltInKind>(
  deps: ToolDeps,
  kind: Kind,
  { tenantId, signal, ...given }: ToolOrder,
): Promise<ToolResult> {
  const parameters = toolKinds[kind].parameters.safeParse(given.parameters);
  if (!parameters.success) throw new ToolError('refused', faultsOf(parameters.error.issues));
  const settings = toolKinds[kind].settings.safeParse(given.settings);
  if (!settings.success) throw new ToolError('failed', 'the tool is not set up correctly');
  return await tools[kind](deps, {
    tenantId,
    settings: settings.data as never,
    parameters: parameters.data as ToolParameters<Kind>,
    signal,
  });
}

/** The faults of arguments, for the model that gave them. */
export const faultsOf = (issues: readonly { path: PropertyKey[]; message: string }[]): string =>
  `the arguments do not fit: ${issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.map(String).join('.') || 'arguments'}: ${message}`)
    .join('; ')}`;
