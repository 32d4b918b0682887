import type { AppRoute } from '@botyard/contracts/http/app-spec';
import type { BoundApp, MessagePlace } from '../store/bound-apps.ts';
import type { RoutedAgent } from '../store/routing-view.ts';
import { saysInLanguage } from './assignment.ts';
import { SaidWords } from './plain-words.ts';

/** A route of an app, and the agent that it leads to. */
export interface TakenRoute {
  app: BoundApp;
  route: AppRoute;
  agent: RoutedAgent;
}

export interface RoutesTaken {
  /** The route that matched by words or by a command, or that matches everything. */
  route: TakenRoute | undefined;
  /** The default route, when nothing else matches. */
  fallback: TakenRoute | undefined;
  /** Disabled agents that a matching route leads to. */
  disabled: RoutedAgent[];
}

interface RoutedMessage {
  message: string;
  /** The language of the person's app; `null` when unknown. */
  language: string | null;
}

type SaidMessage = RoutedMessage & { words: SaidWords };

/**
 * Finds the routes of bound apps that match. Apps are tried in order: the highest priority of their bindings, then the
 * narrowest place, then the latest binding. Within an app the highest priority wins, then the narrowest place, then the
 * first route. The result doesn't depend on the order of the input.
 */
export function takeRoutes(apps: readonly BoundApp[], message: RoutedMessage): RoutesTaken {
  const said = { ...message, words: new SaidWords(message.message) };
  const holding = inOrder(apps).flatMap((app) => routesOf(app, said));
  const enabled = holding.filter(({ agent }) => agent.isEnabled);
  return {
    route: enabled.find(({ route }) => route.when.match !== 'default'),
    fallback: enabled.find(({ route }) => route.when.match === 'default'),
    disabled: holding.flatMap(({ agent }) => (agent.isEnabled ? [] : [agent])),
  };
}

const inOrder = (apps: readonly BoundApp[]): BoundApp[] =>
  apps.toSorted(({ binding: left }, { binding: right }) => byTurn(left, right));

/** The order in which a bot's bindings are tried. */
export const byTurn = (left: BoundApp['binding'], right: BoundApp['binding']): number =>
  right.priority - left.priority ||
  narrownessOf(right) - narrownessOf(left) ||
  (left.bindingId > right.bindingId ? -1 : 1);

function routesOf(app: BoundApp, message: SaidMessage): TakenRoute[] {
  const { spec, place, agents } = app;
  const idOf = new Map(spec.agents.map(({ key, agentId }) => [key, agentId]));
  return spec.routes
    .filter(({ where, when }) => isAt(where, place) && holds(when, message))
    .sort(
      (left, right) => right.priority - left.priority || narrownessOf(right.where) - narrownessOf(left.where),
    )
    .flatMap((route) => {
      const agent = agents.find(({ id }) => id === idOf.get(route.agent));
      return agent ? [{ app, route, agent }] : [];
    });
}

type Place = { [Field in keyof MessagePlace]?: MessagePlace[Field] | undefined };

const isAt = (where: Place, place: MessagePlace): boolean =>
  (['botId', 'platform', 'kind', 'chatId', 'groupId', 'threadId'] as const).every(
    (field) => where[field] == null || where[field] === place[field],
  );

/**
 * A chat is narrower than a topic, a topic than a group, a group than a kind of chat. Naming a platform or a bot as
 * well makes a place narrower still.
 */
function narrownessOf({ chatId, groupId, threadId, kind, platform, botId }: Place): number {
  const place = chatId ? 4 : groupId ? (threadId ? 3 : 2) : kind ? 1 : 0;
  return place * 4 + (platform ? 1 : 0) + (botId ? 1 : 0);
}

function holds(when: AppRoute['when'], { message, language, words }: SaidMessage): boolean {
  switch (when.match) {
    case 'command':
      return commandIn(message) === when.command;
    case 'words':
      return saysInLanguage(when.language, language) && when.words.some((word) => words.says(word));
    case 'everything':
      return saysInLanguage(when.language, language);
    case 'default':
      return true;
  }
}

const command = /^\s*\/([a-z][a-z0-9_]{0,31})(?:@\w+)?(?=\s|$)/i;

/** The command that a message begins with, in lower case. */
const commandIn = (message: string): string | undefined => command.exec(message)?.[1]?.toLowerCase();

/** Whether an app that is bound there has a route for a command. Such a command isn't answered by the bot itself. */
export function isCommandOfApp(apps: readonly BoundApp[], name: string): boolean {
  const message = { message: `/${name}`, language: null, words: new SaidWords(name) };
  return apps.some((app) => routesOf(app, message).some(({ route }) => route.when.match === 'command'));
}

/** The app that an agent answers for: the one whose route matched, or else the first that has the agent. */
export function servedApp(
  apps: readonly BoundApp[],
  agentId: string,
  routedBy: string | undefined,
): BoundApp | undefined {
  const having = inOrder(apps).filter(({ spec }) => spec.agents.some((agent) => agent.agentId === agentId));
  return having.find(({ appId }) => appId === routedBy) ?? having[0];
}
