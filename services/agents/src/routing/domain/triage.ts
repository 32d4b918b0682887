import type { TriageCandidate, TriageRecord, TriageRule } from '@botyard/contracts/http/triage';
import type { PlacedAssignment, RoutedAgent, RoutingView } from '../store/routing-view.ts';
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
  const claims = claimsOn(input, indexFor);
  // The sort is stable, so that equal candidates keep the bot's order.
  const candidates = candidatesOf(claims)
    .map(({ id }) => rate(id, claims))
    .sort((left, right) => right.score - left.score);
  const best = candidates[0]?.agentId ?? null;
  const rule = best === null ? undefined : ruleOf(best, claims);
  const tied = rule === 'match' ? tiedOf(candidates, claims.matches) : [];
  const excluded = excludedOf(claims);
  return {
    agentId: best,
    candidates,
    ...(rule ? { rule } : {}),
    fallback: claims.fallback ?? null,
    ...(rule === 'assignment' && claims.assignment ? { assignmentId: claims.assignment.assignmentId } : {}),
    ...(rule === 'route' && claims.taken.route ? { app: recordOf(claims.taken.route) } : {}),
    ...(rule === 'app-default' && claims.taken.fallback ? { app: recordOf(claims.taken.fallback) } : {}),
    ...(tied.length > 0 ? { tied } : {}),
    ...(excluded.length > 0 ? { excluded } : {}),
  };
}

/** The facts that speak for and against agents, not weighed yet. */
interface Claims extends TriageInput {
  enabled: readonly RoutedAgent[];
  matches: Matches;
  /** Those whose condition holds, by precedence. */
  assignments: readonly PlacedAssignment[];
  /** The first one whose agent is enabled. */
  assignment: PlacedAssignment | undefined;
  taken: RoutesTaken;
  /** The agent that answers when nothing else speaks for one. */
  fallback: string | undefined;
}

function claimsOn(input: TriageInput, indexFor: IndexFor): Claims {
  const enabled = input.agents.filter(({ isEnabled }) => isEnabled);
  const assignments = assignmentsFor(input.routing.assignments, input);
  const taken = takeRoutes(input.routing.apps ?? [], input);
  return {
    ...input,
    enabled,
    matches: enabled.length > 1 ? indexFor(enabled, input.routing.capabilities)(input.message) : new Map(),
    assignments,
    assignment: assignments.find(({ agent }) => agent.isEnabled),
    taken,
    fallback: taken.fallback?.agent.id ?? enabled[0]?.id,
  };
}

function candidatesOf({
  enabled,
  addressed,
  assignment,
  taken,
  routing,
  stickyAgentId,
}: Claims): RoutedAgent[] {
  return uniqueById([
    ...enabled,
    ...(addressed ? [addressed] : []),
    ...(assignment ? [assignment.agent] : []),
    ...agentsOf(taken),
    ...appAgents(routing).filter(({ id, isEnabled }) => isEnabled && id === stickyAgentId),
  ]);
}

function excludedOf({ agents, assignments, taken }: Claims): NonNullable<TriageRecord['excluded']> {
  return uniqueById([...agents, ...assignments.map(({ agent }) => agent), ...taken.disabled])
    .filter(({ isEnabled }) => !isEnabled)
    .map(({ id }) => ({ agentId: id, reasons: ['disabled'] }));
}

function rate(agentId: string, claims: Claims): TriageCandidate {
  const match = claims.matches.get(agentId);
  const others = reasonsFor(agentId, claims);
  const score = others.reduce((sum, { points }) => sum + points, match?.score ?? 0);
  return {
    agentId,
    score: Math.round(score * 1000) / 1000,
    reasons: [...(match?.reasons ?? []), ...others.map(({ words }) => words)],
  };
}

interface Reason {
  rule: TriageRule;
  points: number;
  words: string;
}

/** Reasons beside the matching words, the rule that goes before the others first. */
function reasonsFor(agentId: string, claims: Claims): Reason[] {
  const { addressed, assignment, taken, stickyAgentId, fallback } = claims;
  const isAssigned = agentId === assignment?.agent.id;
  const route = agentId === taken.route?.agent.id ? taken.route : undefined;
  const reasons: (Reason | false | undefined)[] = [
    agentId === addressed?.id && { rule: 'explicit', points: addressedScore, words: 'named by the message' },
    isAssigned && { rule: 'assignment', points: assignedScore, words: 'assigned to this place' },
    // An assignment is an exception to an app's routes: a route matters only where there is none.
    route && {
      rule: 'route',
      points: assignment ? 0 : assignedScore,
      words: `${nameOf(route)} leads to it${assignment ? ', but an assignment comes first' : ''}`,
    },
    agentId === stickyAgentId && {
      rule: 'sticky',
      points: stickyScore,
      words: 'answered last in this conversation',
    },
    agentId === fallback && {
      rule: taken.fallback ? 'app-default' : 'default',
      points: defaultScore,
      words: wordsOfDefault(claims),
    },
  ];
  return reasons.filter((reason) => reason !== false && reason !== undefined);
}

/** The rule that chose an agent: matching words go before a default and after all else. */
function ruleOf(agentId: string, claims: Claims): TriageRule {
  const first = reasonsFor(agentId, claims).find(({ points }) => points > 0);
  if (first && first.points > defaultScore) return first.rule;
  return claims.matches.has(agentId) ? 'match' : (first?.rule ?? 'default');
}

function wordsOfDefault({ agents, taken }: Claims): string {
  if (taken.fallback) return `${nameOf(taken.fallback)} is the default`;
  return agents.length === 1 ? "the bot's only agent" : "the bot's default";
}

const nameOf = ({ route, app }: TakenRoute): string => `the route ${route.name} of the app ${app.name}`;

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
