import type { TriageRecord } from '@botyard/contracts/http/triage';
import type { Say } from '@botyard/words/words';
import { equipFor } from '../../apps/domain/equip.ts';
import { saidIn } from '../../conversations/domain/said-by-erased.ts';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { AgentAtWork } from '../../definitions/store/agent-equipment.ts';
import { requestersOf, type Scene } from '../../external-tools/domain/calls/call.ts';
import { mediaRecordsOf } from '../../media/domain/files-of-messages.ts';
import type { Picture } from '../../media/domain/pictures.ts';
import { tokensOfRequest } from '../../models/clients/tokens.ts';
import { countApart } from '../../models/domain/count-apart.ts';
import { GivenUp } from '../../models/domain/given-up.ts';
import { createReserveOfTurn } from '../../models/domain/quota.ts';
import { TokenBudget } from '../../models/domain/token-budget.ts';
import type { BoundApp } from '../../routing/store/bound-apps.ts';
import type { Deps } from '../deps.ts';
import type { LeftOut } from '../store/left-out.ts';
import { type Answer, apologize, plain } from './answer-record.ts';
import { withExternalTools } from './external-equipment.ts';
import { converse } from './loop/converse.ts';
import type { Conversed } from './loop/conversed.ts';
import { withLinks } from './own-accounts.ts';
import { Preview } from './preview.ts';
import { contextWindow } from './question/context-window.ts';
import type { Utterance } from './question/speakers.ts';

/** A question to an agent, and the messages before it. */
interface AskedAgent {
  conversation: ClaimedConversation;
  agent: AgentAtWork;
  release: Answer['release'];
  triage: TriageRecord | null;
  /** The apps that are bound to this place. */
  apps: readonly BoundApp[];
  turn: readonly SaidRow[];
  context: readonly SaidRow[];
  summary: string | null;
  question: readonly Utterance[];
  say: Say;
  /** They follow the question's text. */
  pictures?: readonly Picture[];
  /** The approved call that the question reports, after it has run. */
  ended?: Scene['ended'];
}

/** Asks an agent's model, within the quota and the platform's allowance. @throws as `answer`. */
export async function askAgent(
  deps: Deps,
  {
    conversation,
    agent,
    release,
    triage,
    apps,
    turn,
    context,
    summary,
    question,
    pictures = [],
    say,
    ended,
  }: AskedAgent,
  signal: AbortSignal,
): Promise<Answer> {
  const { tenantId, botId, conversationId } = conversation;
  const turnKey = turn[0]?.messageId ?? '';
  const scene = sceneOf(conversation, { agent, turn, turnKey, ended });
  const { said } = scene;
  const ownEquipment = await equipFor(deps, { agent, triage, apps, turn, said });
  const equipment = await withExternalTools(deps, agent, ownEquipment);
  const { instructions } = equipment;
  const emptyRequest = { instructions, tools: equipment.tools.map(({ offered }) => offered), messages: [] };
  const beside = { tokensBeside: tokensOfRequest(emptyRequest), pictures };
  const {
    messages,
    record: window,
    aboutSpeakers,
  } = contextWindow(context, question, { ...beside, summary });
  const wanted = { tenantId, provider: agent.provider, model: agent.model, botId, agentId: agent.id };
  const alone =
    window.messages > 0 || window.hasSummary ? contextWindow([], question, beside).messages : null;
  const budget = new TokenBudget({
    requestTokens: tokensOfRequest({ ...emptyRequest, messages }),
    hasTools: emptyRequest.tools.length > 0,
    longestAnswer: agent.modelSettings.maxOutputTokens,
  });
  const preview = Preview.of(deps, conversation, turnKey);
  const { citations, leavesOut, ...conversed } = await converse(deps, {
    wanted,
    scene,
    reserve: createReserveOfTurn(deps, turn, {
      botId,
      agent,
      budget,
      nowMs: conversation.nowMs,
    }),
    say,
    model: agent.model,
    settings: agent.modelSettings,
    agentChangedAt: agent.updatedAt,
    equipment: withInstructions(equipment, aboutSpeakers),
    messages,
    alone,
    budget,
    ...(preview ? { watch: preview.watch } : {}),
    onAbandoned: async (error, { key, usage }) => {
      preview?.withdraw();
      // The person stopped the turn or blocked the bot: the use until then still counts.
      if (!(error instanceof GivenUp) || !key || usage.inputTokens + usage.outputTokens === 0) return;
      const { model } = agent;
      await countApart(deps, { wanted, conversationId, model, key, usage, reservationId: turnKey });
    },
    signal,
  });
  const media = mediaRecordsOf(turn, pictures);
  const record = { ...window, citations, ...(media.length > 0 ? { media } : {}) };
  const leftOut = leftOutBy(leavesOut, { turn, context });
  const used = { ...conversed.used, question: questionWithFiles(turn, question) };
  const answerRecord = { ...plain, agent, release, triage, ...conversed, context: record, leftOut, used };
  preview?.end({ isAnswered: !('failure' in conversed) });
  if ('failure' in conversed) return apologize(say, conversed.failure, answerRecord);
  return { ...answerRecord, outcome: 'answered', text: withLinks(conversed.text, scene.links, say) };
}

/** The question as the model gets it, if words of files are in it. */
const questionWithFiles = (turn: readonly SaidRow[], question: readonly Utterance[]): string | null =>
  turn.some(({ attachment, mail }) => attachment?.read || (mail?.documents?.length ?? 0) > 0)
    ? question.map(({ text }) => text).join('\n')
    : null;

/** The turn, as its tools see it. */
const sceneOf = (
  conversation: ClaimedConversation,
  { agent, turn, turnKey, ended }: Pick<AskedAgent, 'agent' | 'turn' | 'ended'> & { turnKey: string },
): Scene => ({
  tenantId: conversation.tenantId,
  conversationId: conversation.conversationId,
  botId: conversation.botId,
  agentId: agent.id,
  turnKey,
  requesters: requestersOf(conversation.platform, turn),
  said: saidIn(conversation, turn),
  inFlight: new Map(),
  isPrivate: conversation.place.kind === 'private',
  links: new Map(),
  ...(ended ? { ended } : {}),
});

const withInstructions = <Equipment extends { instructions: string }>(
  equipment: Equipment,
  more: string | null,
): Equipment =>
  more === null ? equipment : { ...equipment, instructions: `${equipment.instructions}\n\n${more}` };

function leftOutBy(
  leavesOut: Conversed['leavesOut'],
  { turn, context }: Pick<AskedAgent, 'turn' | 'context'>,
): LeftOut | null {
  if (leavesOut === 'question') return { messageIds: turn.map(({ messageId }) => messageId) };
  if (leavesOut === 'nothing' || context.length === 0) return null;
  return { contextUntil: new Date(Math.max(...context.map(({ createdAt }) => createdAt.getTime()))) };
}
