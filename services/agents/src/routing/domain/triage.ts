import type { TriageCandidate, TriageRecord, TriageRule } from '@botyard/contracts/http/triage';
import type { RoutedAgent, RoutingView } from '../store/routing-view.ts';
import { assignmentsFor } from './assignment.ts';
import { type RoutesTaken, type TakenRoute, takeRoutes } from './routes-of-apps.ts';
import type { Matches } from './word-index.ts';
import type { IndexFor } from './word-indexes.ts';

export interface TriageInput {
  /** The person's own text, without the name of the agent that they addressed. */
  message: string;
  /** The language of the person's app; `null` when unknown. */
  language: string | null;
  /** The agent that the message names. */
  addressed: RoutedAgent | null;
  /** In the bot's order: the first enabled one is its default. */
  agents: readonly RoutedAgent[];
  routing: Pick<RoutingView, 'assignments' | 'capabilities'> & Partial<Pick<RoutingView, 'apps'>>;
  stickyAgentId: string | null;
}

/** The agent of the conversation is kept unless another agent fits better by more than this. */
const stickyScore = 3;
/** The score of the bot's default, which wins when no other agent matches. */
const defaultScore = 0.5;
/** Higher than any words can score (`word-index.ts`), and higher than words and an assignment together. */
const assignedScore = 500;
const addressedScore = 1000;
/** Agents tie when their scores are at least this share of the best one. */
const tieShare = 0.9;

/**
 * Chooses the agent for a message, with reasons. Routing and preview share this code: the same input gives the same
 * record, best candidate first (REQ-CHAT-15), in any order of assignments and capabilities.
 */
export function triage(input: TriageInput, indexFor: IndexFor): TriageRecord {
  const { agents, addressed, message, routing } = input;
  const holding = assignmentsFor(routing.assignments, input);
  const assignment = holding.find(({ agent }) => agent.isEnabled);
  const taken = takeRoutes(routing.apps ?? [], input);
  const enabled = agents.filter(({ isEnabled }) => isEnabled);
  const candidates = uniqueById([
    ...enabled,
    ...(addressed ? [addressed] : []),
    ...(assignment ? [assignment.agent] : []),
    ...agentsOf(taken),
    ...appAgents(routing).filter(({ id, isEnabled }) => isEnabled && id === input.stickyAgentId),
  ]);
  const matches: Matches = enabled.length > 1 ? indexFor(enabled, routing.capabilities)(message) : new Map();
  const fallback = taken.fallback?.agent.id ?? enabled[0]?.id ?? null;
  const decided = { input, matches, assigned: assignment?.agent.id, taken, fallback };
  // The sort is stable, so that equal candidates keep the bot's order.
  const ranked = candidates
    .map(({ id }) => rate(id, decided))
    .sort((left, right) => right.score - left.score);
  const rule = ranked[0] && ruleOf(ranked[0].agentId, decided);
  const tied = rule === 'match' ? tiedOf(ranked, matches) : [];
  const excluded = uniqueById([...agents, ...holding.map(({ agent }) => agent), ...taken.disabled]).filter(
    ({ isEnabled }) => !isEnabled,
  );
  const counted = rule === 'route' ? taken.route : rule === 'app-default' ? taken.fallback : undefined;
  return {
    agentId: ranked[0]?.agentId ?? null,
    candidates: ranked,
    ...(rule ? { rule } : {}),
    fallback: decided.fallback,
    ...(assignment && rule === 'assignment' ? { assignmentId: assignment.assignmentId } : {}),
    ...(counted ? { app: recordOf(counted) } : {}),
    ...(tied.length > 0 ? { tied } : {}),
    ...(excluded.length > 0
      ? { excluded: excluded.map(({ id }) => ({ agentId: id, reasons: ['disabled'] })) }
      : {}),
  };
}

interface Decided {
  input: TriageInput;
  matches: Matches;
  assigned: string | undefined;
  taken: RoutesTaken;
  fallback: string | null;
}

function rate(agentId: string, { input, matches, assigned, taken, fallback }: Decided): TriageCandidate {
  const match = matches.get(agentId);
  const isRouted = agentId === taken.route?.agent.id;
  const parts: [boolean, number, string][] = [
    [agentId === input.addressed?.id, addressedScore, 'named by the message'],
    [agentId === assigned, assignedScore, 'assigned to this place'],
    // An assignment is an exception to an app's routes: a route matters only where there is none.
    [isRouted && !assigned, assignedScore, `${nameOf(taken.route)} leads to it`],
    [
      isRouted && assigned !== undefined,
      0,
      `${nameOf(taken.route)} leads to it, but an assignment comes first`,
    ],
    [agentId === input.stickyAgentId, stickyScore, 'answered last in this conversation'],
    [agentId === fallback, defaultScore, reasonOfDefault(input, taken)],
  ];
  const holding = parts.filter(([isSo]) => isSo);
  const score = holding.reduce((sum, [, points]) => sum + points, match?.score ?? 0);
  const reasons = [...(match?.reasons ?? []), ...holding.map(([, , reason]) => reason)];
  return { agentId, score: Math.round(score * 1000) / 1000, reasons };
}

function reasonOfDefault({ agents }: TriageInput, { fallback }: RoutesTaken): string {
  if (fallback) return `${nameOf(fallback)} is the default`;
  return agents.length === 1 ? "the bot's only agent" : "the bot's default";
}

const nameOf = (taken: TakenRoute | undefined): string =>
  `the route ${taken?.route.name} of the app ${taken?.app.name}`;

const recordOf = ({ app, route }: TakenRoute): TriageRecord['app'] => ({
  appId: app.appId,
  version: app.version,
  route: route.name,
});

const agentsOf = ({ route, fallback }: RoutesTaken): RoutedAgent[] =>
  [route, fallback].flatMap((taken) => taken?.agent ?? []);

const appAgents = ({ apps = [] }: TriageInput['routing']): RoutedAgent[] =>
  apps.flatMap(({ agents }) => agents);

/** Agents that can be addressed at a place: the bot's own, those that are assigned, and those of apps. */
export const agentsAt = <Agent extends RoutedAgent>(
  agents: readonly Agent[],
  routing: TriageInput['routing'],
): RoutedAgent[] => [...agents, ...routing.assignments.map(({ agent }) => agent), ...appAgents(routing)];

function ruleOf(agentId: string, { input, matches, assigned, taken }: Decided): TriageRule {
  if (agentId === input.addressed?.id) return 'explicit';
  if (agentId === assigned) return 'assignment';
  if (agentId === taken.route?.agent.id && !assigned) return 'route';
  if (agentId === input.stickyAgentId) return 'sticky';
  if (matches.has(agentId)) return 'match';
  return agentId === taken.fallback?.agent.id ? 'app-default' : 'default';
}

/** Candidates whose words fit equally well, beginning with the chosen one. Empty when that is the only one. */
function tiedOf(ranked: readonly TriageCandidate[], matches: Matches): string[] {
  const scoreOf = (agentId: string) => matches.get(agentId)?.score ?? 0;
  const best = Math.max(...matches.values().map(({ score }) => score));
  const tied = ranked.map(({ agentId }) => agentId).filter((id) => scoreOf(id) >= best * tieShare);
  return tied.length > 1 && tied[0] === ranked[0]?.agentId ? tied : [];
}

const uniqueById = (agents: readonly RoutedAgent[]): RoutedAgent[] => [
  ...new Map(agents.map((agent) => [agent.id, agent])).values(),
];
