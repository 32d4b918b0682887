import { type JsonRecord, listOf, longestOf, recordOf, textOrNothing } from './json.ts';
import {
  type PlainAnswer,
  type PlainCall,
  plainAnswer,
  readArguments,
  readContent,
  thoughtsIn,
} from './plain-answer.ts';

/**
 * The fields of a message with thoughts: OpenRouter, vLLM and Ollama, DeepSeek, Qwen and Kimi, LiteLLM, llama.cpp and
 * others. They are read for their length only, and go back with the call that they belong to.
 */
export const thoughtFields: readonly string[] = [
  ...['reasoning_content', 'reasoning', 'reasoning_details', 'reasoning_text', 'reasoning_opaque'],
  ...['thinking', 'thinking_blocks', 'thought', 'thoughts'],
];

/** Fields of a call that are read. All others are the provider's, and go back unread. */
const fieldsOfCall: ReadonlySet<string> = new Set([
  'id',
  'type',
  'index',
  'function',
  'custom',
  'name',
  'arguments',
]);
const maxCalls = 64;

/** Reads an answer of OpenAI's Chat Completions as any server writes it, or `undefined` if there is none. */
export function readChatAnswer(
  answer: JsonRecord,
  how: { mustThink?: boolean } = {},
): PlainAnswer | undefined {
  const choices = listOf(answer.choices).map(recordOf);
  const [choice] = choices;
  if (!choice)
    return wasPromptFiltered(answer)
      ? plainAnswer({ text: '', calls: [], reason: 'content_filter' })
      : undefined;
  const message = recordOf(choice.message);
  const { text, thoughts } = readContent(message.content ?? choice.text);
  const calls = callsOf(message);
  const refusal = textOrNothing(message.refusal);
  const apart = thoughtFields.map((field) => thoughtsIn(message[field]));
  const isFailed = choice.error !== undefined && choice.error !== null;
  return plainAnswer(
    {
      text: text === '' && calls.length === 0 ? textOrNothing(recordOf(message.audio).transcript) : text,
      calls,
      extras: Object.fromEntries(
        thoughtFields.flatMap((field) => (message[field] ? [[field, message[field]] as const] : [])),
      ),
      // The same thoughts often come in two fields.
      thoughts: thoughts + longestOf(apart),
      reason: isFailed ? 'error' : choice.finish_reason,
      isDeclined: refusal !== '' && text === '' && calls.length === 0,
    },
    how,
  );
}

/** Azure and Gemini answer a filtered question without any choice. */
function wasPromptFiltered({ prompt_filter_results, prompt_feedback, promptFeedback }: JsonRecord): boolean {
  const results = listOf(prompt_filter_results).map((one) => recordOf(recordOf(one).content_filter_results));
  const isFiltered = results.some((of) =>
    Object.values(of).some((result) => recordOf(result).filtered === true),
  );
  return (
    isFiltered ||
    [prompt_feedback, promptFeedback].some((of) =>
      Boolean(recordOf(of).blockReason ?? recordOf(of).block_reason),
    )
  );
}

function callsOf({ tool_calls, function_call }: JsonRecord): PlainCall[] {
  const called = listOf(tool_calls).map(recordOf);
  // The form before there were several calls.
  const { name } = recordOf(function_call);
  const all = called.length === 0 && name ? [{ function: function_call }] : called;
  return all.slice(0, maxCalls).map(callOf);
}

function callOf(call: JsonRecord): PlainCall {
  const inner = recordOf(call.function ?? call.custom ?? call);
  return {
    id: textOrNothing(call.id),
    name: textOrNothing(inner.name),
    input: readArguments(inner.arguments ?? inner.input ?? inner.parameters),
    extras: Object.fromEntries(Object.entries(call).filter(([field]) => !fieldsOfCall.has(field))),
  };
}
