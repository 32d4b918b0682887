import type { TriageRecord } from '@botyard/shared/contracts/agents';
import type { ContextRecord, KeyAttempt, ToolCallRecord } from '@botyard/shared/contracts/context-traces';
import type { TokenUse } from '../../clients/wire.ts';
import type { Deps } from '../../deps.ts';
import type { BotRow } from '../../store/bots.ts';
import type { AgentDefinitionRow } from '../../store/definitions/agent-definitions.ts';
import type { ClaimedConversation } from '../../store/queue/claims.ts';
import type { SaidRow, TurnView } from '../../store/turn-view.ts';
import { converse } from '../loop/converse.ts';
import { bytesOf, TokenBudget } from '../loop/token-budget.ts';
import { routeTurn } from '../routing/route-turn.ts';
import { cannotRead } from './attachments.ts';
import { runCommand } from './commands.ts';
import { contextWindow } from './context-window.ts';
import { equipmentOf } from './equipment.ts';
import { apologyFor, type Cause } from './phrases.ts';
import { reserveQuota } from './quota.ts';
import { type Said, withQuotation } from './quotation.ts';

/** What a turn came to, with the record of how. */
export interface Answer {
  outcome: 'answered' | 'apologized' | 'command';
  text: string;
  resetsContext: boolean;
  failure: Cause | null;
  agent: AgentDefinitionRow | null;
  triage: TriageRecord | null;
  key: { keyId: string | null; source: 'agent' | 'bot' | 'tenant' | 'platform' | 'none' };
  usage: TokenUse;
  /** `null` when no model was to be asked. */
  context: ContextRecord | null;
  keyAttempts: KeyAttempt[];
  toolCalls: ToolCallRecord[];
}

/** What is to be answered, by whom it may be, and what was said before. */
export type Asked = Pick<TurnView, 'agents' | 'context' | 'routing' | 'summary'> & {
  bot: BotRow;
  turn: readonly SaidRow[];
};

const nothingUsed = { inputTokens: 0, outputTokens: 0, isEstimated: false };
const plain: Omit<Answer, 'outcome' | 'text'> = {
  resetsContext: false,
  failure: null,
  agent: null,
  triage: null,
  key: { keyId: null, source: 'none' },
  usage: nothingUsed,
  context: null,
  keyAttempts: [],
  toolCalls: [],
};

/**
 * Decides what is said to a turn's messages: a command's text, the model's answer, or one safe sentence per cause of
 * failure (P0 4). @throws only for faults of ours, such as a database that doesn't answer, or when `signal` ends it.
 */
export async function answer(
  deps: Deps,
  conversation: ClaimedConversation,
  { bot, ...view }: Asked,
  signal: AbortSignal,
): Promise<Answer> {
  const { turn } = view;
  const [first] = turn;
  const command = first?.command ? runCommand(first.command, bot.name) : undefined;
  if (command && 'reply' in command) {
    return { ...plain, outcome: 'command', text: command.reply, resetsContext: command.resetsContext };
  }
  if (!command && turn.every(({ content }) => content === 'unsupported'))
    return { ...apologize('unsupported content', plain), text: cannotRead(turn) };
  const said = command && first ? [{ text: command.ask, quote: first.quote }] : turn;
  return await askAgent(deps, conversation, { bot, said, ...view }, signal);
}

async function askAgent(
  deps: Deps,
  conversation: ClaimedConversation,
  { bot, context, summary, turn, ...view }: Asked & { said: readonly Said[] },
  signal: AbortSignal,
): Promise<Answer> {
  const { tenantId } = conversation;
  const language = turn[0]?.sender?.language ?? null;
  const routed = await routeTurn(deps, conversation, { ...view, language }, signal);
  const { record } = routed;
  if ('reply' in routed) {
    return { ...plain, outcome: 'command', text: routed.reply, agent: routed.agent, triage: record };
  }
  if ('cause' in routed) return apologize(routed.cause, { ...plain, triage: record });
  // The person's own words choose the agent: in a group they often quote what the bot itself has said.
  const { agent, said } = routed;
  const equipment = equipmentOf(agent);
  const tools = equipment.tools.map(({ offered }) => offered);
  const asked = { instructions: equipment.instructions, tools, messages: [] };
  const question = said.map((one) => withQuotation(one)).join('\n');
  const { messages, record: shown } = contextWindow(context, question, {
    bytesBeside: bytesOf(asked),
    summary,
  });
  const budget = new TokenBudget({
    requestBytes: bytesOf({ ...asked, messages }),
    hasTools: tools.length > 0,
  });
  const refusal = await reserveQuota(deps, turn, { botId: bot.botId, agent, budget });
  if (refusal) return apologize(refusal, { ...plain, agent, triage: record });
  const { provider, model } = agent;
  const wanted = { tenantId, provider, botId: bot.botId, agentId: agent.id };
  const { citations, ...conversed } = await converse(deps, {
    wanted,
    model,
    equipment,
    messages,
    budget,
    signal,
  });
  const found = {
    ...plain,
    agent,
    triage: record,
    ...conversed,
    context: { ...shown, citations },
  };
  if ('failure' in conversed) return apologize(conversed.failure, found);
  return { ...found, outcome: 'answered', text: conversed.text };
}

/** One safe sentence to somebody for whom no agent was asked. */
export const politeRefusal = (cause: Cause): Answer => apologize(cause, plain);

function apologize(cause: Cause, found: Omit<Answer, 'outcome' | 'text'>): Answer {
  return { ...found, outcome: 'apologized', text: apologyFor(cause), failure: cause };
}
