/** Converts a request to Anthropic's `/v1/messages` to the form that this fake uses for both providers. */
import { asRecord, offeredTool, recordsIn } from './tools.ts';
import type { ChatMessage, OfferedTool } from './wire.ts';

export function anthropicMessages(body: Record<string, unknown>): ChatMessage[] {
  const system = body.system === undefined ? [] : [{ role: 'system', content: body.system }];
  return [...system, ...recordsIn(body.messages).flatMap(plainMessages)];
}

export function anthropicTools(body: Record<string, unknown>): OfferedTool[] {
  return recordsIn(body.tools).map((tool) => offeredTool(tool, 'input_schema'));
}

/** There, tool results are part of a user's message; here each is a message of its own. */
function plainMessages({ role, content }: Record<string, unknown>): ChatMessage[] {
  if (!Array.isArray(content)) return [{ role: String(role), content }];
  const parts = recordsIn(content);
  const results = parts
    .filter((part) => part.type === 'tool_result')
    .map((part) => ({ role: 'tool', content: part.content, tool_call_id: part.tool_use_id }));
  const calls = parts
    .filter((part) => part.type === 'tool_use')
    .map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(asRecord(input)) },
    }));
  const others = parts.filter((part) => part.type !== 'tool_result' && part.type !== 'tool_use');
  const isOnlyResults = results.length > 0 && others.length === 0;
  const said = { role: String(role), content: others, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
  return isOnlyResults ? results : [...results, said];
}
