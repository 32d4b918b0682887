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
  /** By words, by a command, or for everything. */
  route: TakenRoute | undefined;
  /** The default route, when nothing else matches. */
  fallback: TakenRoute | undefined;
  /** Agents that a route leads to and that are disabled. */
  disabled: RoutedAgent[];
}

export interface RoutedMessage {
  message: string;
  /** The language of the person's app; `null` when unknown. */
  language: string | null;
}

type SaidMessage = RoutedMessage & { words: SaidWords };

/**
 * Which routes of bound apps hold. Apps are asked one after another: the highest priority of their bindings first, then
 * the narrowest place, then what was bound last. In an app the highest priority counts, then the narrowest place, then
 * the first. The same in whatever order the apps are given.
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

/** The order in which bindings of a bot are asked. */
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
 * A chat is narrower than a topic, that than a group, that than a kind of chat; a platform or a bot beside it is
 * narrower still.
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

/** The command that a message begins with, in small letters. */
export const commandIn = (message: string): string | undefined => command.exec(message)?.[1]?.toLowerCase();

/** Whether an app that is bound there has a route for a command: then it isn't ours to answer. */
export function isCommandOfApp(apps: readonly BoundApp[], name: string): boolean {
  const message = { message: `/${name}`, language: null, words: new SaidWords(name) };
  return apps.some((app) => routesOf(app, message).some(({ route }) => route.when.match === 'command'));
}

/** The app that an agent answers for: the one whose route was taken, else the first that has it. */
export function servedApp(
  apps: readonly BoundApp[],
  agentId: string,
  routedBy: string | undefined,
): BoundApp | undefined {
  const having = inOrder(apps).filter(({ spec }) => spec.agents.some((agent) => agent.agentId === agentId));
  return having.find(({ appId }) => appId === routedBy) ?? having[0];
}
