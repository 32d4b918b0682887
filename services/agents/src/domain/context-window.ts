import type { ModelMessage } from 'ai';
import type { MessageRow } from '../store/messages.ts';

/** Tokens of earlier messages that a model is shown; the rest of its window is for instructions and reply. */
const contextTokenBudget = 6000;
const mostUnitsOfOneMessage = 16_000;
const unitsPerToken = 4;

/** How many earlier messages are worth reading from the database. */
export const mostContextMessages = 60;

/**
 * The conversation as the model sees it: as many of the newest earlier messages as fit, oldest first, then what is to
 * be answered now. Never empty and never over the budget, whatever people send (P1 11).
 */
export function contextWindow(newestFirst: readonly MessageRow[], question: string): ModelMessage[] {
  const asked = shorten(question);
  let left = contextTokenBudget - tokensOf(asked);
  const shown: ModelMessage[] = [];
  for (const { direction, text } of newestFirst) {
    const content = shorten(text);
    left -= tokensOf(content);
    if (left < 0) break;
    shown.unshift({ role: direction === 'in' ? 'user' : 'assistant', content });
  }
  return [...shown, { role: 'user', content: asked }];
}

const tokensOf = (text: string): number => Math.ceil(text.length / unitsPerToken);

function shorten(text: string): string {
  return text.length <= mostUnitsOfOneMessage
    ? text
    : `${text.slice(0, mostUnitsOfOneMessage).toWellFormed()}…`;
}
