import type { ModelMessage, ToolResultPart } from 'ai';
import { startOf } from '../../../models/clients/tokens.ts';

/** The same messages with texts of at most so many tokens, and without files. */
export const shortened = (messages: readonly ModelMessage[], maxTokens: number): ModelMessage[] =>
  messages.map((message) => {
    const { role, content } = message;
    if (role === 'tool') {
      return {
        ...message,
        content: content.map((part) => (part.type === 'tool-result' ? shortResult(part, maxTokens) : part)),
      };
    }
    if (typeof content === 'string')
      return { ...message, content: short(content, maxTokens) } as ModelMessage;
    if (role !== 'user') return message;
    const texts = content.filter((part) => part.type === 'text');
    return { ...message, content: texts.map((part) => ({ ...part, text: short(part.text, maxTokens) })) };
  });

function shortResult(part: ToolResultPart, maxTokens: number): ToolResultPart {
  const { output } = part;
  if (output.type !== 'text' && output.type !== 'error-text') return part;
  return { ...part, output: { ...output, value: short(output.value, maxTokens) } };
}

function short(text: string, maxTokens: number): string {
  const start = startOf(text, maxTokens);
  return start.length === text.length ? text : `${start.toWellFormed()}…`;
}
