import type { ContextRecord } from '@botyard/shared/contracts/context-traces';
import type { ModelMessage } from 'ai';
import type { SaidRow } from '../../store/turn-view.ts';
import { withQuotation } from './quotation.ts';

/** Tokens of messages that a model is shown at most, and of all that it is shown: long instructions leave less room. */
const contextTokenBudget = 6000;
const wholeTokenBudget = 8000;
const leastContextTokenBudget = 1500;
const mostUnitsOfOneMessage = 16_000;
/** What was quoted earlier is a reminder only: it was said in full when it was asked about. */
const mostUnitsOfEarlierQuote = 300;
const unitsPerToken = 4;
const tokensOfBreak = 1;

/** How many earlier messages are worth reading from the database. */
export const mostContextMessages = 60;

export interface ContextWindow {
  messages: ModelMessage[];
  record: Pick<ContextRecord, 'messages' | 'tokens'>;
}

/**
 * The conversation as the model sees it: as many of the newest earlier messages as fit, oldest first, then what is to
 * be answered now. Never empty and never over the budget, whatever people send (P1 11). It begins with the person, and
 * the two take turns, as many models ask for: what one of them said in several messages is one here. `bytesBeside` have
 * the instructions and what the model is told of its tools.
 */
export function contextWindow(
  newestFirst: readonly SaidRow[],
  question: string,
  bytesBeside = 0,
): ContextWindow {
  const asked = shorten(question);
  const tokensBeside = Math.ceil(bytesBeside / unitsPerToken);
  const room = Math.min(contextTokenBudget, wholeTokenBudget - tokensBeside);
  const budget = Math.max(room, leastContextTokenBudget);
  let left = budget - tokensOf(asked);
  const shown: Spoken[] = [];
  for (const said of newestFirst) {
    const content = shorten(withQuotation(said, mostUnitsOfEarlierQuote));
    const tokens = tokensOf(content) + tokensOfBreak;
    if (tokens > left) break;
    left -= tokens;
    shown.unshift({ role: said.direction === 'in' ? 'user' : 'assistant', content });
  }
  while (shown[0]?.role === 'assistant') shown.shift();
  const record = { messages: shown.length, tokens: tokensBeside + budget - left };
  return { messages: takingTurns([...shown, { role: 'user', content: asked }]), record };
}

interface Spoken {
  role: 'user' | 'assistant';
  content: string;
}

function takingTurns(spoken: readonly Spoken[]): Spoken[] {
  const turns: Spoken[] = [];
  for (const { role, content } of spoken) {
    const last = turns.at(-1);
    if (last?.role === role) last.content += `\n${content}`;
    else turns.push({ role, content });
  }
  return turns;
}

const tokensOf = (text: string): number => Math.ceil(text.length / unitsPerToken);

function shorten(text: string): string {
  return text.length <= mostUnitsOfOneMessage
    ? text
    : `${text.slice(0, mostUnitsOfOneMessage).toWellFormed()}…`;
}
