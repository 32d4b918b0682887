/** Tools in requests: the offered ones, the results, and whether they match. */
import { type ChatMessage, contentText, type OfferedTool, type ToolResult } from './wire.ts';

type AskedCall = { id: string; name: string };

/** `tools` of an OpenAI request. */
export function offeredTools(tools: unknown): OfferedTool[] {
  return recordsIn(tools).map(({ function: about }) => offeredTool(asRecord(about), 'parameters'));
}

export function offeredTool(about: Record<string, unknown>, schema: string): OfferedTool {
  const { name, description } = about;
  return { name: String(name ?? ''), description: String(description ?? ''), parameters: about[schema] };
}

/** The results after the model's last answer. */
export function resultsAtEnd(messages: readonly ChatMessage[]): ToolResult[] {
  const at = messages.findLastIndex((message) => message.role === 'assistant');
  const names = new Map(callsOf(messages[at]).map(({ id, name }) => [id, name]));
  return messages
    .slice(at + 1)
    .filter((message) => message.role === 'tool')
    .map((message) => {
      const id = String(message.tool_call_id ?? '');
      return { id, name: names.get(id) ?? '', text: contentText(message) };
    });
}

/**
 * Faults that the real servers refuse with 400: a call that the next messages don't answer, or an answer without a
 * call. `undefined` if there is none.
 */
export function toolFaultOf(messages: readonly ChatMessage[]): string | undefined {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(String(message.tool_call_id ?? '')))
        return "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      continue;
    }
    if (open.size > 0) return unanswered(open);
    open = new Set(callsOf(message).map(({ id }) => id));
  }
  return open.size > 0 ? unanswered(open) : undefined;
}

function unanswered(open: ReadonlySet<string>): string {
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`;
}

function callsOf(message: ChatMessage | undefined): AskedCall[] {
  return recordsIn(message?.tool_calls).map((call) => ({
    id: String(call.id ?? ''),
    name: String(asRecord(call.function).name ?? ''),
  }));
}

export function recordsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}

export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
