import type { TriageRecord } from '@botyard/contracts/http/triage';
import { withTenant } from '@botyard/shared/db/database';
import type { Say } from '@botyard/words/words';
import { agentAnswersNow, listOfAgents } from '../../conversations/domain/phrases.ts';
import type { Said } from '../../conversations/domain/said.ts';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import { type AgentAtWork, getAgentAtWork } from '../../definitions/store/agent-equipment.ts';
import type { Deps } from '../deps.ts';
import type { PlaceView, RoutedAgent } from '../store/routing-view.ts';
import { readAddress } from './address.ts';
import { settleTie } from './tie.ts';
import { agentsAt, triage } from './triage.ts';

/** A turn's messages, and the agents that can answer it. */
interface TurnToRoute extends Pick<PlaceView, 'routing'> {
  /** The bot's agents, in its order. */
  agents: readonly AgentAtWork[];
  said: readonly Said[];
  /** The language of the person's app; `null` when unknown. */
  language: string | null;
  say: Say;
}

/** The answering agent with the messages for it, or a built-in reply. */
type RoutedTurn =
  | { record: TriageRecord; agent: AgentAtWork; said: readonly Said[] }
  | { record: TriageRecord; cause: 'no agent' | 'agent disabled' }
  | { record: TriageRecord | null; agent: AgentAtWork | null; reply: string };

/**
 * Chooses the agent of a turn. A name at the beginning of a message is removed from the text for the agent. A name
 * without text only chooses the agent, and `/agent` without a name lists the agents.
 * @throws the signal's reason when that ends it.
 */
export async function routeTurn(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: TurnToRoute,
  signal: AbortSignal,
): Promise<RoutedTurn> {
  const { agents, routing, language, say } = turn;
  const here = agentsAt(agents, routing);
  const [first, ...others] = turn.said;
  const address = readAddress(first?.text ?? '', here);
  if (address.to === 'unknown') return { record: null, agent: null, reply: listOfAgents(say, namesOf(here)) };
  const said = first ? [{ ...first, text: address.text }, ...others] : turn.said;
  const message = said.map(({ text }) => text).join('\n');
  const addressed = address.to === 'agent' ? address.agent : null;
  const { tenantId, stickyAgentId } = conversation;
  const input = { message, language, addressed, agents, routing, stickyAgentId };
  const byWords = triage(input, deps.wordIndexes.of(tenantId));
  const record = await settleTie(deps, { conversation, record: byWords, agents, message, signal });
  const agent = await chosenAgent(deps, tenantId, { agents, record });
  if (!agent) return { record, cause: record.excluded ? 'agent disabled' : 'no agent' };
  if (addressed && message.trim() === '') return { record, agent, reply: agentAnswersNow(say, agent.name) };
  return { record, agent, said };
}

/** An assigned agent needn't be one of the bot's. It is then read separately, in its current state. */
async function chosenAgent(
  deps: Deps,
  tenantId: string,
  { agents, record }: { agents: readonly AgentAtWork[]; record: TriageRecord },
): Promise<AgentAtWork | undefined> {
  const { agentId } = record;
  if (agentId === null) return undefined;
  const own = agents.find(({ id }) => id === agentId);
  if (own) return own;
  const agent = await withTenant(deps.database, [tenantId], (tx) => getAgentAtWork(tx, tenantId, agentId));
  return agent?.isEnabled ? agent : undefined;
}

const namesOf = (agents: readonly RoutedAgent[]): string[] => [
  ...new Set(agents.filter(({ isEnabled }) => isEnabled).map(({ name }) => name)),
];
