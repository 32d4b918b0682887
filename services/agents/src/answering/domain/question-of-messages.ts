import type { AgentAtWork } from '../../definitions/store/agent-equipment.ts';
import { tokensOfRequest } from '../../models/clients/tokens.ts';
import { TokenBudget } from '../../models/domain/token-budget.ts';
import { equipmentOf } from '../../tools/domain/equipment.ts';
import type { Deps } from '../deps.ts';
import { withExternalTools } from './external-equipment.ts';
import type { Question } from './loop/conversed.ts';
import { contextWindow } from './question/context-window.ts';

interface WrittenMessage {
  role: 'user' | 'assistant';
  text: string;
}

/** The parts of a question to an agent outside of any chat, and the record of what the model is shown. */
export interface QuestionOfMessages extends Pick<Question, 'equipment' | 'messages' | 'alone' | 'budget'> {
  shown: ReturnType<typeof contextWindow>['record'];
}

/** A conversation, oldest message first, as a question to an agent. The last message is the question. */
export async function questionOfMessages(
  deps: Deps,
  agent: AgentAtWork,
  messages: readonly WrittenMessage[],
): Promise<QuestionOfMessages> {
  const equipment = await withExternalTools(deps, agent, equipmentOf(agent));
  const tools = equipment.tools.map(({ offered }) => offered);
  const request = { instructions: equipment.instructions, tools, messages: [] };
  const tokensBeside = tokensOfRequest(request);
  const { context, question } = conversationOf(messages);
  const { messages: window, record } = contextWindow(context, question, { tokensBeside });
  const budget = new TokenBudget({
    requestTokens: tokensOfRequest({ ...request, messages: window }),
    hasTools: tools.length > 0,
    longestAnswer: agent.modelSettings.maxOutputTokens,
  });
  const alone = record.messages > 0 ? contextWindow([], question, { tokensBeside }).messages : null;
  return { equipment, messages: window, alone, budget, shown: record };
}

/** The messages in the form of a chat, newest first. */
function conversationOf(messages: readonly WrittenMessage[]) {
  const said = messages.map(({ role, text }) => ({
    text,
    quote: null,
    direction: role === 'user' ? ('in' as const) : ('out' as const),
    staffId: null,
    isForStaff: false,
  }));
  return {
    context: said.slice(0, -1).reverse(),
    question: [{ text: said.at(-1)?.text ?? '', sender: null }],
  };
}
