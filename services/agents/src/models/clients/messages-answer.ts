import { isRecord, type JsonRecord, listOf, textOrNothing } from './json.ts';
import {
  type PlainAnswer,
  type PlainCall,
  plainAnswer,
  readArguments,
  readContent,
  thoughtsIn,
} from './plain-answer.ts';

const fieldsOfCall: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input', 'cache_control']);
/** Thoughts are signed: they go back with the call as they came. */
const thoughtBlocks: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);
const maxCalls = 64;

/**
 * Reads an answer of Anthropic's Messages as any server writes it, or `undefined` if there is none. Blocks of tools
 * that the provider runs itself are left out: none is ever offered.
 */
export function readMessagesAnswer(
  answer: JsonRecord,
  how: { mustThink?: boolean } = {},
): PlainAnswer | undefined {
  if (!Array.isArray(answer.content) && typeof answer.content !== 'string') return undefined;
  const blocks = listOf(answer.content).filter(isRecord);
  const { text, thoughts } = readContent(answer.content);
  const ofThoughts = blocks.filter(({ type }) => thoughtBlocks.has(type));
  return plainAnswer(
    {
      text,
      calls: blocks
        .filter(({ type }) => type === 'tool_use')
        .slice(0, maxCalls)
        .map(callOf),
      extras: ofThoughts.length > 0 ? { thoughtBlocks: ofThoughts } : {},
      thoughts: thoughts || thoughtsIn(ofThoughts),
      reason: answer.stop_reason,
    },
    how,
  );
}

function callOf({ id, name, input, ...rest }: JsonRecord): PlainCall {
  return {
    id: textOrNothing(id),
    name: textOrNothing(name),
    input: readArguments(input),
    extras: Object.fromEntries(Object.entries(rest).filter(([field]) => !fieldsOfCall.has(field))),
  };
}
