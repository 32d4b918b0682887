import { toolKinds } from '@botyard/contracts/http/tool-kinds';
import { faultsOf } from './run-tool.ts';
import { ToolError, type ToolResult } from './tool.ts';

/** Asks for a person. The chat is theirs once the turn has ended: until then nothing is changed. @throws ToolError. */
export function handOver(given: unknown): ToolResult {
  const parameters = toolKinds.hand_over.parameters.safeParse(given);
  if (!parameters.success) throw new ToolError('refused', faultsOf(parameters.error.issues));
  return { text: 'A person takes the chat over.', handover: parameters.data.reason };
}
